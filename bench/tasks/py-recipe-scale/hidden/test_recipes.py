import pytest
from recipes import card, scale, shopping_list


def pancakes():
    return {
        "name": "Pancakes",
        "servings": 2,
        "ingredients": [
            {"name": "flour", "amount": 150, "unit": "g"},
            {"name": "milk", "amount": 0.25, "unit": "l"},
            {"name": "salt", "amount": None, "unit": None},
        ],
    }


def test_scale():
    assert card(scale(pancakes(), 6)) == "Pancakes (for 6)\n- 450 g flour\n- 0.75 l milk\n- salt"


def test_no_servings():
    with pytest.raises(ValueError):
        scale(pancakes(), 0)


def test_one_meal():
    assert shopping_list([(pancakes(), 4)]) == {("flour", "g"): 300, ("milk", "l"): 0.5}


def test_same_recipe_twice():
    recipe = pancakes()
    assert shopping_list([(recipe, 4), (recipe, 4)]) == {("flour", "g"): 600, ("milk", "l"): 1.0}
