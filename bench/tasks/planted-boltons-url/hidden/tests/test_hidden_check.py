from boltons.dictutils import OrderedMultiDict
from boltons.urlutils import URL, QueryParamDict


def test_repeated_parameters_survive_in_order():
    text = 'b=1&a=2&b=3&b=3&c=4'
    query = QueryParamDict.from_text(text)
    assert query.getlist('b') == ['1', '3', '3']
    assert query.to_text() == text
    assert URL('http://example.org/?' + text).to_text() == 'http://example.org/?' + text


def test_update_extend_takes_pairs_iterators_mappings_and_multi_dicts():
    omd = OrderedMultiDict([('x', 0)])
    omd.update_extend(iter([('x', 1), ('y', 2), ('x', 3)]))
    omd.update_extend({'y': 4})
    omd.update_extend(OrderedMultiDict([('z', 5), ('z', 6)]))
    assert list(omd.iteritems(multi=True)) == [
        ('x', 0), ('x', 1), ('y', 2), ('x', 3), ('y', 4), ('z', 5), ('z', 6)]


def test_update_extend_accepts_a_mapping_like_object():
    class Keyed:
        def keys(self):
            return ['k']

        def __getitem__(self, key):
            return key * 2

    omd = OrderedMultiDict([('k', 1)])
    omd.update_extend(Keyed())
    assert omd.getlist('k') == [1, 'kk']
