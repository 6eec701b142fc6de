from stock.models import Article
from stock.report import report, to_reorder


def test_low_articles_are_listed_scarcest_first():
    articles = [Article("nails", 4, 10), Article("glue", 1, 5), Article("tape", 30, 5)]
    assert [a.name for a in to_reorder(articles)] == ["glue", "nails"]


def test_article_at_its_level_is_listed():
    assert report([Article("screws", 10, 10, pack_size=4)]) == ["screws: 3"]
