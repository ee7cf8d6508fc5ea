"""What a terminal shows after bytes: enough of a VT100 for line editors and pagers. Control characters stay in the
text where they are unknown, so that a difference is seen."""
import re


class Screen:
    def __init__(self, rows=24, columns=80, styles=False):
        self.rows, self.columns, self.styles = rows, columns, styles
        self.row = self.column = 0
        self.style = frozenset()
        self.clear()
        self.other = None   # what stood there before the alternate screen
        self.full = False   # the last column was written: the next character wraps
        self.top, self.bottom = 0, rows - 1
        self.saved = (0, 0)
        self.rest = ""

    def blank(self):
        return [(" ", frozenset())] * self.columns

    def clear(self):
        self.grid = [self.blank() for _ in range(self.rows)]

    def resize(self, rows, columns):
        """As far as programs that paint anew can tell."""
        self.grid = [(r + [(" ", frozenset())] * columns)[:columns] for r in self.grid][:rows]
        self.rows, self.columns = rows, columns
        self.grid += [self.blank() for _ in range(rows - len(self.grid))]
        self.row, self.column = min(self.row, rows - 1), min(self.column, columns - 1)
        self.top, self.bottom, self.full = 0, rows - 1, False

    def down(self):
        if self.row == self.bottom:
            self.grid.pop(self.top)
            self.grid.insert(self.bottom, self.blank())
        else:
            self.row = min(self.row + 1, self.rows - 1)

    def up(self):
        if self.row == self.top:
            self.grid.pop(self.bottom)
            self.grid.insert(self.top, self.blank())
        else:
            self.row = max(self.row - 1, 0)

    def put(self, c):
        if self.full:
            self.column, self.full = 0, False
            self.down()
        self.grid[self.row][self.column] = (c, self.style)
        self.full = self.column == self.columns - 1
        self.column += not self.full

    def feed(self, data):
        text, self.rest = self.rest + data, ""
        i = 0
        while i < len(text):
            c = text[i]
            if c == "\x1b":
                found = re.match(r"\x1b(?:\[([?>=!0-9;]*)([@-~])|[()].|[^\[()])", text[i:])
                if not found:
                    self.rest = text[i:]
                    return
                i += found.end()
                if found.group(2):
                    self.sequence(found.group(1), found.group(2))
                else:
                    self.escape(found.group(0)[1])
                continue
            i += 1
            if c == "\r":
                self.column, self.full = 0, False
            elif c == "\n":
                self.down()
                self.full = False
            elif c == "\b":
                self.column, self.full = max(0, self.column - 1), False
            elif c == "\t":
                self.column = min(self.columns - 1, (self.column | 7) + 1)
            elif c not in "\a\x0e\x0f":
                self.put(c)

    def escape(self, c):
        if c == "M":
            self.up()
            self.full = False
        elif c == "7":
            self.saved = (self.row, self.column)
        elif c == "8":
            (self.row, self.column), self.full = self.saved, False
        elif c == "c":
            self.__init__(self.rows, self.columns, self.styles)

    def alternate(self, on):
        if on and self.other is None:
            self.other = (self.grid, self.row, self.column)
            self.clear()
        elif not on and self.other is not None:
            self.grid, self.row, self.column = self.other
            self.other = None
            self.full = False

    def sgr(self, numbers):
        style = set(self.style)
        i = 0
        while i < len(numbers):
            n = numbers[i]
            if n == 0:
                style.clear()
            elif n in (1, 2, 3, 4, 5, 7, 8, 9):
                style.add(str(n))
            elif n == 22:
                style -= {"1", "2"}
            elif n in (23, 24, 25, 27, 28, 29):
                style.discard(str(n - 20))
            elif n in (38, 48):
                style = {s for s in style if not s.startswith("fb"[n == 48])}
                style.add("fb"[n == 48] + "-".join(map(str, numbers[i + 1:i + 3])))
                i += 2
            elif 30 <= n <= 37 or 90 <= n <= 97:
                style = {s for s in style if s[0] != "f"} | {"f%d" % (n - 30)}
            elif 40 <= n <= 47 or 100 <= n <= 107:
                style = {s for s in style if s[0] != "b"} | {"b%d" % (n - 40)}
            elif n in (39, 49):
                style = {s for s in style if s[0] != "fb"[n == 49]}
            i += 1
        self.style = frozenset(style)

    def sequence(self, numbers, what):
        if numbers[:1] in (">", "=", "!"):
            return
        if numbers.startswith("?"):
            if what in "hl" and re.search(r"\b(1049|1047|47)\b", numbers):
                self.alternate(what == "h")
            return
        n = [int(x) if x else 0 for x in numbers.split(";")] if numbers else [0]
        many, row = max(1, n[0]), self.grid[self.row]
        if what == "m":
            return self.sgr(n)
        self.full = False
        empty = (" ", frozenset())
        if what == "A":
            self.row = max(0, self.row - many)
        elif what == "B":
            self.row = min(self.rows - 1, self.row + many)
        elif what == "C":
            self.column = min(self.columns - 1, self.column + many)
        elif what == "D":
            self.column = max(0, self.column - many)
        elif what == "G":
            self.column = min(self.columns, many) - 1
        elif what == "d":
            self.row = min(self.rows, many) - 1
        elif what in "Hf":
            self.row = min(many, self.rows) - 1
            self.column = min(max(1, n[1] if len(n) > 1 else 1), self.columns) - 1
        elif what == "J" and n[0] in (2, 3):
            if n[0] == 2:
                self.clear()
        elif what == "J" and not n[0]:
            row[self.column:] = [empty] * (self.columns - self.column)
            for r in range(self.row + 1, self.rows):
                self.grid[r] = self.blank()
        elif what == "J" and n[0] == 1:
            row[:self.column + 1] = [empty] * (self.column + 1)
            for r in range(self.row):
                self.grid[r] = self.blank()
        elif what == "K" and not n[0]:
            row[self.column:] = [empty] * (self.columns - self.column)
        elif what == "K" and n[0] == 1:
            row[:self.column + 1] = [empty] * (self.column + 1)
        elif what == "K":
            self.grid[self.row] = self.blank()
        elif what == "X":
            row[self.column:self.column + many] = [empty] * min(many, self.columns - self.column)
        elif what == "P":
            del row[self.column:self.column + many]
            row += [empty] * (self.columns - len(row))
        elif what == "@":
            row[self.column:self.column] = [empty] * many
            del row[self.columns:]
        elif what == "b" and self.column:
            for _ in range(many):
                self.put(row[self.column - 1][0])
        elif what == "L" and self.top <= self.row <= self.bottom:
            for _ in range(many):
                self.grid.pop(self.bottom)
                self.grid.insert(self.row, self.blank())
        elif what == "M" and self.top <= self.row <= self.bottom:
            for _ in range(many):
                self.grid.pop(self.row)
                self.grid.insert(self.bottom, self.blank())
        elif what in "ST":
            row, self.row = self.row, self.bottom if what == "S" else self.top
            for _ in range(many):
                self.down() if what == "S" else self.up()
            self.row = row
        elif what == "r":
            self.top, self.bottom = many - 1, min(self.rows, n[1] if len(n) > 1 and n[1] else self.rows) - 1
            self.row = self.column = 0
        elif what not in "JhlntgsuLM":
            self.put("?")

    def runs(self):
        """Where text is not plain: lines of row,column+length=style."""
        for y, row in enumerate(self.grid):
            x = 0
            while x < len(row):
                style, begin = row[x][1], x
                while x < len(row) and row[x][1] == style:
                    x += 1
                if style:
                    yield "\n~%d,%d+%d=%s" % (y, begin, x - begin, " ".join(sorted(style)))

    def shown(self):
        """The lines, and where the cursor is."""
        text = "\n".join("".join(c for c, _ in r).rstrip() for r in self.grid).rstrip("\n")
        where = "\n@%d,%d" % (self.row, self.column + self.full)
        return text + where + ("".join(self.runs()) if self.styles else "")
