import pytest

from mistune.toc import render_toc_ul


def shape(levels):
    html = render_toc_ul([(level, 'k%d' % n, 'T%d' % n) for n, level in enumerate(levels)])
    assert html.count('<ul>') == html.count('</ul>')
    assert html.count('<li>') == len(levels)
    depth, depths = 0, []
    for part in html.replace('<', '\n<').splitlines():
        depth += part.startswith('<ul>')
        depth -= part.startswith('</ul>')
        if part.startswith('<a '):
            depths.append(depth)
    assert depth == 0
    return depths


@pytest.mark.parametrize(
    ('levels', 'depths'),
    [
        ([1, 2, 3, 1], [1, 2, 3, 1]),
        ([1, 2, 3, 4, 2], [1, 2, 3, 4, 2]),
        ([1, 2, 3, 2, 1, 2], [1, 2, 3, 2, 1, 2]),
        ([1, 1, 2, 2, 1], [1, 1, 2, 2, 1]),
        ([1, 3, 2], [1, 2, 2]),
        ([2, 1, 2], [1, 1, 2]),
    ],
)
def test_depths(levels, depths):
    assert shape(levels) == depths


def test_nothing_for_no_headings():
    assert render_toc_ul([]) == ''
