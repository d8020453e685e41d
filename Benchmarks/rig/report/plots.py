"""Draws a Plot as SVG with matplotlib, the same bytes for the same data."""

SIZE = (7.2, 3.6)  # inches
COLOURS = ("#4c72b0", "#dd8452", "#55a868", "#c44e52", "#8172b3", "#937860")


def draw(plot, path):
    import matplotlib

    matplotlib.use("svg")
    # Text stays text, so that the files are small and searchable.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "runcast", "font.family": "sans-serif"})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=SIZE, layout="constrained")
    if any(isinstance(x, str) for points in plot.series.values() for x, _ in points):
        draw_bars(axes, plot)
    else:
        draw_lines(axes, plot)
    axes.set_title(plot.title)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    if any(plot.series):
        axes.legend(frameon=False, fontsize="small")
    # The drawing's date would change the file with each run.
    figure.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    pyplot.close(figure)


def draw_bars(axes, plot):
    names = list(dict.fromkeys(x for points in plot.series.values() for x, _ in points))
    height = 0.8 / max(1, len(plot.series))
    for index, ((label, points), colour) in enumerate(zip(plot.series.items(), COLOURS * 4, strict=False)):
        places = [names.index(x) + index * height for x, _ in points]
        axes.barh(places, [y for _, y in points], height, label=label or None, color=colour)
    middle = 0.4 - height / 2
    axes.set_yticks([place + middle for place in range(len(names))], names)
    axes.invert_yaxis()
    axes.set_xlabel(plot.y)
    axes.grid(axis="x", alpha=0.3)


def draw_lines(axes, plot):
    for (label, points), colour in zip(plot.series.items(), COLOURS * 4, strict=False):
        axes.plot([x for x, _ in points], [y for _, y in points], "o-", label=label, color=colour)
    axes.set_xscale("log")
    ticks = sorted({x for points in plot.series.values() for x, _ in points})
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.minorticks_off()
    highest = max((y for points in plot.series.values() for _, y in points), default=1)
    axes.set_ylim(0, highest * 1.3)  # room for the legend
    axes.set_xlabel(plot.x)
    axes.set_ylabel(plot.y)
    axes.grid(alpha=0.3)
