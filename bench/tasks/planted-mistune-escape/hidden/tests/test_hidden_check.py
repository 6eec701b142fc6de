import mistune
from mistune.util import escape, safe_entity


def test_escape_covers_quotes_unless_told_otherwise():
    assert escape('<a href="x">&</a>') == '&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;'
    assert escape('say "hi" & <go>', quote=False) == 'say "hi" &amp; &lt;go&gt;'
    assert safe_entity('&quot;x&quot; "y"') == '&quot;x&quot; &quot;y&quot;'


def test_rendered_attributes_and_text_are_escaped():
    assert mistune.html('say "hi"') == '<p>say &quot;hi&quot;</p>\n'
    assert mistune.html('`a "b"`') == '<p><code>a &quot;b&quot;</code></p>\n'
    assert 'title="a &quot;b&quot;"' in mistune.html("[x](/y 'a \"b\"')")
    assert '<code class="language-a&quot;b">' in mistune.html('```a"b\nx\n```')
