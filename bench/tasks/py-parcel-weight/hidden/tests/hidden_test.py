import pytest
from shipping.parcel import Article, parcel_weight
from shipping.rates import RATES, TooHeavy, postage, rate_for


def article(grams):
    return Article("x", grams)


@pytest.mark.parametrize(
    "grams, count, kilograms", [(0, 1, 0.15), (380, 1, 0.53), (380, 3, 1.29), (2400, 2, 4.95), (1, 1, 0.151)]
)
def test_weight(grams, count, kilograms):
    assert parcel_weight({article(grams): count}) == pytest.approx(kilograms)


@pytest.mark.parametrize(
    "grams, cents",
    [(849, 399), (850, 399), (851, 499), (1850, 499), (1851, 699), (9850, 999), (29850, 1899)],
)
def test_packaging_counts(grams, cents):
    assert postage({article(grams): 1}) == cents


def test_heaviest():
    with pytest.raises(TooHeavy):
        postage({article(29851): 1})


def test_rates_are_as_they_were():
    assert RATES[0] == (1, 399)
    assert rate_for(30) == 1899
    with pytest.raises(TooHeavy):
        rate_for(150)


def test_several_articles():
    assert parcel_weight({article(100): 2, Article("y", 650): 1}) == pytest.approx(1.0)
