"""Recipes, their amounts and what to buy for them.

A recipe is a dict: "name", "servings" and "ingredients", a list of dicts with
"name", "amount" and "unit". The amount is None where one takes it to taste.
"""


def scale(recipe, servings):
    """Return the recipe for another number of servings. The given one is not changed."""
    if servings <= 0:
        raise ValueError("servings must be positive")
    factor = servings / recipe["servings"]
    scaled = recipe.copy()
    scaled["servings"] = servings
    for ingredient in scaled["ingredients"]:
        if ingredient["amount"] is not None:
            ingredient["amount"] = round(ingredient["amount"] * factor, 2)
    return scaled


def card(recipe):
    """Return the recipe as text for the kitchen wall."""
    lines = [f"{recipe['name']} (for {recipe['servings']})"]
    for ingredient in recipe["ingredients"]:
        if ingredient["amount"] is None:
            lines.append(f"- {ingredient['name']}")
        else:
            lines.append(f"- {ingredient['amount']:g} {ingredient['unit']} {ingredient['name']}")
    return "\n".join(lines)


def shopping_list(plan):
    """Return {(ingredient, unit): amount} for a plan, a list of (recipe, servings).

    What is taken to taste is not on the list.
    """
    amounts = {}
    for recipe, servings in plan:
        for ingredient in scale(recipe, servings)["ingredients"]:
            if ingredient["amount"] is None:
                continue
            key = (ingredient["name"], ingredient["unit"])
            amounts[key] = amounts.get(key, 0) + ingredient["amount"]
    return amounts
