import pytest

import click
from click.parser import _unpack_args
from click.testing import CliRunner


@pytest.mark.parametrize(
    ('args', 'spec', 'expected'),
    [
        ('abcdef', [-1, 2], (('a', 'b', 'c', 'd'), ('e', 'f'))),
        ('abcdef', [2, -1], (('a', 'b'), ('c', 'd', 'e', 'f'))),
        ('abcdef', [1, -1, 3], ('a', ('b', 'c'), ('d', 'e', 'f'))),
        ('abcdef', [-1, 2, 1], (('a', 'b', 'c'), ('d', 'e'), 'f')),
        ('abcdef', [-1, 1, 2], (('a', 'b', 'c'), 'd', ('e', 'f'))),
        ('abcdef', [2, -1, 2, 1], (('a', 'b'), ('c',), ('d', 'e'), 'f')),
    ],
)
def test_unpacking(args, spec, expected):
    assert _unpack_args(list(args), spec) == (expected, [])


def test_what_is_left_over_is_given_back():
    assert _unpack_args(list('abcd'), [1, 2]) == (('a', ('b', 'c')), ['d'])


def test_two_variadic_arguments_are_refused():
    with pytest.raises(TypeError, match='two nargs < 0'):
        _unpack_args(['a'], [-1, 1, -1])


def test_a_command_sees_the_order_of_the_line():
    @click.command()
    @click.argument('files', nargs=-1)
    @click.argument('size', nargs=3, type=int)
    def cli(files, size):
        click.echo(f'{files} {size}')

    result = CliRunner().invoke(cli, ['x', 'y', '1', '2', '3'])
    assert result.output == "('x', 'y') (1, 2, 3)\n"
