"""Split one line of a CSV export into its fields."""


def split_line(line, delimiter=","):
    """Return the fields of one CSV line.

    A field may be wrapped in double quotes and then contain the delimiter.
    Inside such a field two double quotes stand for one.
    Spaces are kept as they are.
    """
    fields = []
    field = ""
    quoted = False
    position = 0
    while position < len(line):
        char = line[position]
        if char == '"' and quoted and line[position + 1 : position + 2] == '"':
            field += '"'
            position += 1
        elif char == '"':
            quoted = not quoted
        elif char == delimiter and not quoted:
            fields.append(field)
            field = ""
        else:
            field += char
        position += 1
    if quoted:
        raise ValueError("quoted field is not closed")
    fields.append(field)
    return fields
