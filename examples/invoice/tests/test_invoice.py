from invoice import Invoice, Line, print_invoice


def test_tax_is_added():
    invoice = Invoice("Ada", [Line("chair", 10_000)])
    assert invoice.total == 11_900


def test_large_orders_get_a_discount():
    invoice = Invoice("Ada", [Line("desk", 25_000, 2)])
    assert invoice.discount == 2_500
    assert invoice.total == 56_525


def test_printed_invoice():
    invoice = Invoice("Ada", [Line("pencil", 35, 3), Line("desk", 25_000)])
    assert print_invoice(invoice) == [
        "Invoice for Ada",
        "3 x pencil                    1.05",
        "1 x desk                    250.00",
        "Tax 19 %                     47.70",
        "Total                       298.75",
    ]
