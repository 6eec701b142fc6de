from tabulate import tabulate


def test_decimal_points_line_up():
    lines = tabulate([[1.5], [22.25], [3], [100.125]], tablefmt='plain').splitlines()
    assert lines == ['  1.5', ' 22.25', '  3', '100.125']
    assert {line.ljust(7).rstrip().find('.') for line in lines if '.' in line} == {3}


def test_headers_follow_the_numbers():
    text = tabulate([['a', 0.25], ['b', 10]], headers=['name', 'x'], tablefmt='simple')
    assert text.splitlines() == ['name        x', '------  -----', 'a        0.25', 'b       10']


def test_coloured_numbers_line_up_too():
    rows = [['\x1b[31m1.5\x1b[0m'], ['\x1b[32m10.125\x1b[0m']]
    first, second = tabulate(rows, tablefmt='plain').splitlines()
    assert first.index('.') - first.index('\x1b') == second.index('.') - second.index('\x1b') - 1
    assert first.startswith(' ')


def test_grid_keeps_equal_widths():
    lines = tabulate([[1.25], [2]], tablefmt='grid').splitlines()
    assert len({len(line) for line in lines}) == 1
    assert lines[3] == '| 2    |'
