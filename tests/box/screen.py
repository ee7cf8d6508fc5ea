"""What a terminal shows after bytes: enough of a VT100 for line editors. Control characters stay in the
text where they are unknown, so that a difference is seen."""
import re


class Screen:
    def __init__(self, rows=24, columns=80):
        self.rows, self.columns = rows, columns
        self.row = self.column = 0
        self.grid = [[" "] * columns for _ in range(rows)]
        self.full = False   # the last column was written: the next character wraps
        self.rest = ""

    def down(self):
        if self.row < self.rows - 1:
            self.row += 1
            return
        self.grid.pop(0)
        self.grid.append([" "] * self.columns)

    def put(self, c):
        if self.full:
            self.column, self.full = 0, False
            self.down()
        self.grid[self.row][self.column] = c
        self.full = self.column == self.columns - 1
        self.column += not self.full

    def feed(self, data):
        text, self.rest = self.rest + data, ""
        i = 0
        while i < len(text):
            c = text[i]
            if c == "\x1b":
                found = re.match(r"\x1b(?:\[([?0-9;]*)([@-~])|[^\[])", text[i:])
                if not found:
                    self.rest = text[i:]
                    return
                i += found.end()
                if found.group(2):
                    self.sequence(found.group(1), found.group(2))
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
            elif c != "\a":
                self.put(c)

    def sequence(self, numbers, what):
        if numbers.startswith("?"):
            return
        n = [int(x) if x else 0 for x in numbers.split(";")] if numbers else [0]
        many, row = max(1, n[0]), self.grid[self.row]
        self.full = False
        if what == "A":
            self.row = max(0, self.row - many)
        elif what == "B":
            self.row = min(self.rows - 1, self.row + many)
        elif what == "C":
            self.column = min(self.columns - 1, self.column + many)
        elif what == "D":
            self.column = max(0, self.column - many)
        elif what == "H":
            self.row = many - 1
            self.column = max(1, n[1] if len(n) > 1 else 1) - 1
        elif what == "J" and n[0] == 2:
            self.grid = [[" "] * self.columns for _ in range(self.rows)]
        elif what == "J" and not n[0]:
            row[self.column:] = [" "] * (self.columns - self.column)
            for r in range(self.row + 1, self.rows):
                self.grid[r] = [" "] * self.columns
        elif what == "K" and not n[0]:
            row[self.column:] = [" "] * (self.columns - self.column)
        elif what == "P":
            del row[self.column:self.column + many]
            row += [" "] * (self.columns - len(row))
        elif what == "@":
            row[self.column:self.column] = [" "] * many
            del row[self.columns:]
        elif what not in "Jm":
            self.put("?")

    def shown(self):
        """The lines, and where the cursor is."""
        text = "\n".join("".join(r).rstrip() for r in self.grid).rstrip("\n")
        return "%s\n@%d,%d" % (text, self.row, self.column + self.full)
