"""Where points lie: affine maps between the frames that a page is read in and shown in."""

from __future__ import annotations

import math
from dataclasses import dataclass

Rectangle = tuple[float, float, float, float]
"""Left, top, right, bottom; y grows downwards in every frame but a PDF page's own."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Maps points of one frame to another: ``origin + x * along_x + y * along_y``."""

    origin: tuple[float, float] = (0.0, 0.0)
    along_x: tuple[float, float] = (1.0, 0.0)
    along_y: tuple[float, float] = (0.0, 1.0)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Where the point comes to lie."""
        return (
            self.origin[0] + x * self.along_x[0] + y * self.along_y[0],
            self.origin[1] + x * self.along_x[1] + y * self.along_y[1],
        )

    def rectangle(self, left: float, top: float, right: float, bottom: float) -> Rectangle:
        """The smallest upright rectangle around the four mapped corners."""
        corners = [self.point(x, y) for x in (left, right) for y in (top, bottom)]
        xs, ys = zip(*corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def inverse(self) -> Frame:
        """The map back; the frame must not be flat."""
        (a, b), (c, d) = self.along_x, self.along_y
        area = a * d - b * c
        back = Frame((0.0, 0.0), (d / area, -b / area), (-c / area, a / area))
        x, y = back.point(*self.origin)
        return Frame((-x, -y), back.along_x, back.along_y)

    def then(self, other: Frame) -> Frame:
        """This map, and ``other`` after it."""
        origin = other.point(*self.origin)
        right, down = (
            other.point(self.origin[0] + along[0], self.origin[1] + along[1])
            for along in (self.along_x, self.along_y)
        )
        return Frame(
            origin,
            (right[0] - origin[0], right[1] - origin[1]),
            (down[0] - origin[0], down[1] - origin[1]),
        )


def fractions(width: float, height: float) -> Frame:
    """From points of a page to shares of its width and height."""
    return Frame((0.0, 0.0), (1 / width, 0.0), (0.0, 1 / height))


def turned(degrees: int, width: float, height: float) -> Frame:
    """What a quarter turn clockwise does to a page of that size; its corner stays the origin."""
    maps = {
        90: Frame((height, 0.0), (0.0, 1.0), (-1.0, 0.0)),
        180: Frame((width, height), (-1.0, 0.0), (0.0, -1.0)),
        270: Frame((0.0, width), (0.0, -1.0), (1.0, 0.0)),
    }
    return maps.get(degrees % 360, Frame())


def tilted(radians: float) -> Frame:
    """A small turn clockwise around the origin."""
    cos, sin = math.cos(radians), math.sin(radians)
    return Frame((0.0, 0.0), (cos, sin), (-sin, cos))
