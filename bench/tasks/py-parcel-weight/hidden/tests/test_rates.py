import pytest
from shipping.parcel import Article
from shipping.rates import TooHeavy, postage, rate_for

MUG = Article("mug", 380)
POT = Article("pot", 2400)


def test_rates():
    assert rate_for(0.4) == 399
    assert rate_for(2) == 499
    assert rate_for(2.01) == 699


def test_a_mug():
    assert postage({MUG: 1}) == 399


def test_a_pot_and_mugs():
    assert postage({POT: 1, MUG: 4}) == 699


def test_nothing_to_send():
    assert postage({}) == 0


def test_too_heavy():
    with pytest.raises(TooHeavy):
        postage({POT: 13})
