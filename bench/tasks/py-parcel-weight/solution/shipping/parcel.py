"""What goes into a parcel."""

from dataclasses import dataclass

PACKAGING_GRAMS = 150


@dataclass(frozen=True)
class Article:
    name: str
    grams: int


def parcel_weight(articles):
    """Return what the packed parcel weighs, in kilograms.

    `articles` maps each article to how many of them are sent. The carton and
    the paper in it count too.
    """
    contents = sum(article.grams * count for article, count in articles.items())
    return (contents + PACKAGING_GRAMS) / 1000
