"""Where the names of lines are: at their ends, apart from each other."""
import math


def apart(wanted, gap):
    """Positions as near to the wanted ones as `gap` between neighbours allows, in their order.

    Those that would overlap share a cluster around their mean.
    """
    clusters = []  # [sum of wanted, indices]
    for index in sorted(range(len(wanted)), key=lambda i: (wanted[i], i)):
        clusters.append([wanted[index], [index]])
        while len(clusters) > 1 and overlap(clusters[-2], clusters[-1], gap):
            total, members = clusters.pop()
            clusters[-1] = [clusters[-1][0] + total, clusters[-1][1] + members]
    positions = [0.0] * len(wanted)
    for total, members in clusters:
        middle = total / len(members)
        for place, index in enumerate(members):
            positions[index] = middle + (place - (len(members) - 1) / 2) * gap
    return positions


def overlap(below, above, gap):
    reach = (len(below[1]) - 1 + len(above[1]) - 1) / 2 * gap
    return above[0] / len(above[1]) - below[0] / len(below[1]) < reach + gap


def end_labels(points, line, x, y, gap, log=False):
    """A label for the last point of each line, moved along y so that none covers another.

    `gap` is in units of y; on a logarithmic axis in powers of ten.
    """
    last = {}
    for point in points:
        if point[line] not in last or point[x] >= last[point[line]][x]:
            last[point[line]] = point
    labels = [{line: name, x: point[x], y: point[y]} for name, point in last.items()]
    # Lines that end at the same place can cover each other's names.
    for end in {label[x] for label in labels}:
        group = [label for label in labels if label[x] == end]
        wanted = [math.log10(label[y]) if log else label[y] for label in group]
        for label, position in zip(group, apart(wanted, gap)):
            label[y] = rounded(10 ** position if log else position)
    return labels


def rounded(number):
    """Four digits: more would be noise in a picture, and weight."""
    return float(f"{number:.4g}")
