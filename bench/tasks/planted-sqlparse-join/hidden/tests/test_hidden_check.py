import pytest

import sqlparse
from sqlparse import tokens as T


@pytest.mark.parametrize(
    'join',
    ['JOIN', 'INNER JOIN', 'inner   join', 'OUTER JOIN', 'STRAIGHT JOIN', 'LEFT JOIN', 'RIGHT JOIN',
     'LEFT OUTER JOIN', 'FULL OUTER JOIN', 'CROSS JOIN', 'NATURAL JOIN'],
)
def test_every_join_is_one_keyword(join):
    statement = sqlparse.parse('select * from a %s b on a.i = b.i' % join)[0]
    values = [str(t) for t in statement.flatten() if t.ttype is T.Keyword]
    assert join in values


def test_joins_start_lines():
    text = sqlparse.format('select * from a inner join b on x = y left join c on z', reindent=True)
    assert text.splitlines() == ['select *', 'from a', 'inner join b on x = y', 'left join c on z']
