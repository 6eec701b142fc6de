"""Clean up contact lists before a mailing."""


def normal_address(address):
    """Return an address in the form in which two of them can be compared."""
    return address.strip().lower()


def dedupe(contacts):
    """Return the contacts without duplicates, in their order.

    Contacts are dicts with "name" and "email". Two are the same if their email
    is, without regard to case and to white space around it; the first one is
    kept as it is. Contacts without an email (None or blank) are all kept.
    """
    seen = set()
    kept = []
    for contact in contacts:
        address = normal_address(contact["email"] or "")
        if address in seen:
            continue
        if address:
            seen.add(address)
        kept.append(contact)
    return kept


def without(contacts, blocked):
    """Return the contacts whose address is not in the list of blocked ones."""
    refused = {normal_address(address) for address in blocked}
    return [c for c in contacts if normal_address(c["email"] or "") not in refused]
