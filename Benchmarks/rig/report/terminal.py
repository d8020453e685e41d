"""Sections as plain text with aligned columns."""

STATES = {True: "met", False: "MISSED", None: "not measured"}


def table(header, rows):
    widths = [max(len(str(row[column])) for row in [header, *rows]) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            str(cell).ljust(width) if column == 0 else str(cell).rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [header, *rows]
    )


def section(content):
    parts = [f"== {content.title}"]
    for each in content.tables:
        parts += [each.caption] if each.caption else []
        parts.append(table(each.header, each.rows))
    return "\n".join(parts)


def targets(found):
    rows = [(target.name, target.wanted, target.measured, STATES[target.met]) for target in found]
    return "== Targets\n" + table(("", "wanted", "measured", ""), rows)
