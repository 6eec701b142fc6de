import copy

from recipes import card, scale, shopping_list


def soup():
    return {
        "name": "Soup",
        "servings": 4,
        "ingredients": [
            {"name": "leek", "amount": 2, "unit": "pcs"},
            {"name": "stock", "amount": 1.5, "unit": "l"},
            {"name": "pepper", "amount": None, "unit": None},
        ],
    }


def test_scale_leaves_the_recipe_alone():
    recipe = soup()
    before = copy.deepcopy(recipe)
    scale(recipe, 8)
    scale(recipe, 2)
    assert recipe == before


def test_two_sizes_of_one_recipe():
    recipe = soup()
    small, large = scale(recipe, 2), scale(recipe, 8)
    assert card(small) == "Soup (for 2)\n- 1 pcs leek\n- 0.75 l stock\n- pepper"
    assert card(large) == "Soup (for 8)\n- 4 pcs leek\n- 3 l stock\n- pepper"


def test_scaled_again():
    once = scale(soup(), 8)
    assert card(scale(once, 4)) == card(soup())
    assert card(once) == "Soup (for 8)\n- 4 pcs leek\n- 3 l stock\n- pepper"


def test_three_times_on_the_plan():
    recipe = soup()
    plan = [(recipe, 8), (recipe, 4), (recipe, 2)]
    assert shopping_list(plan) == {("leek", "pcs"): 7, ("stock", "l"): 5.25}
    assert shopping_list(plan) == {("leek", "pcs"): 7, ("stock", "l"): 5.25}


def test_amounts_are_rounded():
    recipe = {"name": "Tea", "servings": 3, "ingredients": [{"name": "tea", "amount": 1, "unit": "g"}]}
    assert scale(recipe, 1)["ingredients"] == [{"name": "tea", "amount": 0.33, "unit": "g"}]
    assert recipe["ingredients"] == [{"name": "tea", "amount": 1, "unit": "g"}]
