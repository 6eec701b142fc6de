from contacts import dedupe, without


def contact(name, email):
    return {"name": name, "email": email}


def test_same_address():
    ada = contact("Ada", "ada@example.com")
    assert dedupe([ada, contact("A. L.", "ada@example.com")]) == [ada]


def test_case_does_not_matter():
    ada = contact("Ada", "ada@example.com")
    assert dedupe([ada, contact("ADA", "ADA@Example.com")]) == [ada]


def test_the_one_written_in_capitals_comes_first():
    bob = contact("Bob", "Bob@Example.com")
    assert dedupe([bob, contact("bob", "bob@example.com"), contact("b", "BOB@example.com")]) == [bob]


def test_blocked():
    assert without([contact("Ada", "Ada@x.org"), contact("Bob", "bob@x.org")], ["ada@x.org "]) == [
        contact("Bob", "bob@x.org")
    ]
