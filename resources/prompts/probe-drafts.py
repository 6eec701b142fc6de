def total(prices):
    result = 0
    for price in prices:
        result += price
    return result


def average(prices):
    if not prices:
        return 0
    return total(prices) / len(prices)


def cheapest(prices, below):
    found = [price for price in prices if price < below]
    return sorted(found)


def report(prices):
    lines = []
    for number, price in enumerate(prices, start=1):
        lines.append(f"{number}. {price:.2f}")
    lines.append(f"Total: {total(prices):.2f}")
    return "\n".join(lines)
