"""The weekly reorder report."""


def to_reorder(articles):
    """Return the articles that have to be reordered, the scarcest first."""
    low = [article for article in articles if article.is_low]
    return sorted(low, key=lambda article: (article.quantity, article.name))


def report(articles, target=20):
    """Return one line for each article to reorder: its name and the packs to buy.

    We buy as many full packs as are needed to have `target` pieces again.
    """
    lines = []
    for article in to_reorder(articles):
        packs = article.packs_for(target - article.quantity)
        lines.append(f"{article.name}: {packs}")
    return lines
