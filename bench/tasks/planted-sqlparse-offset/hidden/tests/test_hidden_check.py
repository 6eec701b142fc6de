import sqlparse
from sqlparse.filters import AlignedIndentFilter, ReindentFilter
from sqlparse.utils import indent, offset


def test_offset_and_indent_are_undone():
    for kind in (ReindentFilter, AlignedIndentFilter):
        subject = kind()
        before = (subject.offset, subject.indent)
        with offset(subject, 3):
            assert subject.offset == before[0] + 3
            with indent(subject, 2):
                assert subject.indent == before[1] + 2
            assert subject.indent == before[1]
        assert (subject.offset, subject.indent) == before


def test_second_list_is_not_pushed_to_the_right():
    sql = 'select a, b from t where x in (1, 2); select c, d from u'
    first, second = sqlparse.split(sqlparse.format(sql, reindent=True))
    assert second.splitlines() == ['select c,', '       d', 'from u']
    sql = 'select a, b from (select c, d from u) as v'
    assert sqlparse.format(sql, reindent=True).splitlines() == [
        'select a,', '       b', 'from', '  (select c,', '          d', '   from u) as v']
