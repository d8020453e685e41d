"""Sections as Markdown. Pure: the same results give the same text."""

from textwrap import fill

WIDTH = 120  # columns of prose
STATES = {True: "met", False: "**missed**", None: "not measured"}


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(escaped(cell) for cell in row) + " |" for row in rows]
    return "\n".join(lines)


def escaped(cell):
    return str(cell).replace("|", "\\|")


def target_table(targets):
    return table(
        ("target", "wanted", "measured", ""),
        [(target.name, target.wanted, target.measured, STATES[target.met]) for target in targets],
    )


def section(content, image_folder=None):
    """One section; with `image_folder` its plots are linked, otherwise left out."""
    parts = [f"## {content.title}", fill(content.text, WIDTH)]
    for each in content.tables:
        parts += [f"**{each.caption}**"] if each.caption else []
        parts.append(table(each.header, each.rows))
    if image_folder is not None:
        parts += [f"![{plot.title}]({image_folder}/performance-{plot.name}.svg)" for plot in content.plots]
    return "\n\n".join(parts)


def machine(description):
    """What the figures were measured on, as a table."""
    rows = [
        ("processor", f"{description['processor']}, {description['cores']} cores usable"),
        ("memory", f"{description['memoryMiB'] / 1024:.1f} GiB"),
        ("system", f"{description['distribution']}, {description['kernel']}"),
        ("open files per process", f"{description['descriptors']:,}"),
        ("versions", ", ".join(f"{name} {version}" for name, version in description["versions"].items())),
    ]
    return table(("", ""), rows)
