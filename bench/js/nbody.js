/* Five bodies under gravity, a symplectic step each turn. */
const bodies = [[0, 0, 0, 0, 0, 0, 39.5], [4.8, -1.2, -0.1, 0.6, 2.8, -0.02, 0.04], [8.3, 4.1, -0.4, -1, 1.8, 0.01, 0.01],
	[12.9, -15.1, -0.2, 1.1, 0.9, -0.01, 0.002], [15.4, -25.9, 0.2, 1, 0.6, -0.03, 0.002]]
	.map(([x, y, z, vx, vy, vz, mass]) => ({ x, y, z, vx, vy, vz, mass }));
function step(dt) {
	for (let i = 0; i < bodies.length; i++) {
		const a = bodies[i];
		for (let j = i + 1; j < bodies.length; j++) {
			const b = bodies[j], dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
			const d2 = dx * dx + dy * dy + dz * dz, mag = dt / (d2 * Math.sqrt(d2));
			a.vx -= dx * b.mass * mag; a.vy -= dy * b.mass * mag; a.vz -= dz * b.mass * mag;
			b.vx += dx * a.mass * mag; b.vy += dy * a.mass * mag; b.vz += dz * a.mass * mag;
		}
	}
	for (const b of bodies) { b.x += dt * b.vx; b.y += dt * b.vy; b.z += dt * b.vz; }
}
for (let i = 0; i < 60000; i++) step(0.001);
console.log(bodies[0].x.toFixed(6));
