"""Invoices: lines, discount, tax and the printed form."""

from dataclasses import dataclass, field

from money import format_cents, percent

TAX_RATE = 19
DISCOUNT_RATE = 5
# Large orders get the discount: from this sum of the lines on, in cents.
DISCOUNT_FROM = 50_000


@dataclass(frozen=True)
class Line:
    name: str
    unit_price: int
    quantity: int = 1

    @property
    def total(self):
        return self.unit_price * self.quantity


@dataclass
class Invoice:
    customer: str
    lines: list = field(default_factory=list)

    @property
    def subtotal(self):
        return sum(line.total for line in self.lines)

    @property
    def discount(self):
        if self.subtotal < DISCOUNT_FROM:
            return 0
        return percent(self.subtotal, DISCOUNT_RATE)

    @property
    def tax(self):
        return percent(self.subtotal - self.discount, TAX_RATE)

    @property
    def total(self):
        return self.subtotal - self.discount + self.tax


def print_invoice(invoice):
    """Return the printed form, a list of lines."""
    rows = [(f"{line.quantity} x {line.name}", line.total) for line in invoice.lines]
    if invoice.discount:
        rows.append(("Discount", -invoice.discount))
    rows += [(f"Tax {TAX_RATE} %", invoice.tax), ("Total", invoice.total)]
    return [f"Invoice for {invoice.customer}"] + [
        f"{label:<24}{format_cents(cents):>10}" for label, cents in rows
    ]
