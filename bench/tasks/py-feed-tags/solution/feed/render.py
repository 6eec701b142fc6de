"""The feed as XML."""

from xml.sax.saxutils import escape, quoteattr


def render_entry(entry):
    """Return the XML of one entry. All its texts are escaped."""
    parts = [f"<title>{escape(entry.title)}</title>"]
    parts.extend(f"<category term={quoteattr(tag)}/>" for tag in dict.fromkeys(entry.tags))
    parts.append(f"<updated>{entry.day.isoformat()}</updated>")
    if entry.summary:
        parts.append(f"<summary>{escape(entry.summary)}</summary>")
    return f"<entry>{''.join(parts)}</entry>"


def render_feed(title, link, entries):
    """Return the XML of the whole feed, the newest entry first."""
    newest_first = sorted(entries, key=lambda entry: entry.day, reverse=True)
    head = f"<title>{escape(title)}</title><link href={quoteattr(link)}/>"
    return f"<feed>{head}{''.join(map(render_entry, newest_first))}</feed>"
