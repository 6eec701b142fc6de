from contacts import dedupe, without


def contact(name, email):
    return {"name": name, "email": email}


def test_spaces_around_the_first_one():
    first = contact("Ada", " ada@x.org")
    assert dedupe([first, contact("Ada", "ada@x.org"), contact("Ada", "ada@x.org ")]) == [first]


def test_capitals_only():
    first = contact("Eve", "EVE@X.ORG")
    assert dedupe([first, contact("Eve", "EVE@X.ORG"), contact("Eve", "Eve@x.org")]) == [first]


def test_the_kept_contact_is_as_it_was():
    contacts = [contact("Ada", " Ada@X.org "), contact("Bob", "b@x.org")]
    kept = dedupe(contacts)
    assert kept == [contact("Ada", " Ada@X.org "), contact("Bob", "b@x.org")]
    assert kept[0] is contacts[0]


def test_contacts_without_an_email_are_kept():
    contacts = [contact("a", None), contact("b", ""), contact("c", "  "), contact("d", None), contact("e", " ")]
    assert dedupe(contacts) == contacts


def test_order():
    names = [c["name"] for c in dedupe([contact(n, e) for n, e in ["aX", "bY", "cx", "dZ", "ey"]])]
    assert names == ["a", "b", "d"]


def test_nothing():
    assert dedupe([]) == []
    assert without([], ["a@x.org"]) == []
