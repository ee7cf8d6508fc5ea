class Shape { constructor(name) { this.name = name; } area() { return 0; } get label() { return `${this.name}:${this.area()}`; } }
class Square extends Shape { constructor(side) { super('square'); this.side = side; } area() { return this.side ** 2; } }
class Circle extends Shape { #r; constructor(r) { super('circle'); this.#r = r; } area() { return Math.round(3 * this.#r * this.#r); } }
const counter = () => { let n = 0; return { add: k => n += k, get: () => n }; };
const c = counter();
for (let i = 0; i < 200000; i++) {
	const shape = i & 1 ? new Square(i % 10) : new Circle(i % 7);
	c.add(shape.area() + shape.label.length);
}
console.log(c.get());
