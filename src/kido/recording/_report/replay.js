"use strict";
// A replay of moving bodies by WebGL, without any library: what it shows stands in the page as JSON.
(() => {
  const scene = JSON.parse(document.getElementById("scene").textContent);
  const box = document.getElementById("replay");
  if (!scene || !scene.bodies.length) return;
  box.hidden = false;
  const canvas = document.getElementById("view");
  const gl = canvas.getContext("webgl", { antialias: true });
  if (!gl) {
    box.textContent = "This browser has no WebGL, which the replay needs.";
    return;
  }

  // ---- geometry: triangles as positions and normals, one after the other

  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => {
    const n = Math.hypot(...a) || 1;
    return a.map((x) => x / n);
  };

  function flat(out, a, b, c) {
    const n = unit(cross(sub(b, a), sub(c, a)));
    for (const p of [a, b, c]) out.push(...p, ...n);
  }

  function boxTriangles([x, y, z]) {
    const out = [], h = [x / 2, y / 2, z / 2];
    for (let axis = 0; axis < 3; ++axis) {
      for (const side of [-1, 1]) {
        const corner = (u, v) => {
          const p = [0, 0, 0];
          p[axis] = side * h[axis];
          p[(axis + 1) % 3] = u * h[(axis + 1) % 3];
          p[(axis + 2) % 3] = v * h[(axis + 2) % 3];
          return p;
        };
        const ring = side > 0 ? [[-1, -1], [1, -1], [1, 1], [-1, 1]] : [[-1, -1], [-1, 1], [1, 1], [1, -1]];
        const [a, b, c, d] = ring.map(([u, v]) => corner(u, v));
        flat(out, a, b, c);
        flat(out, a, c, d);
      }
    }
    return out;
  }

  // A profile (radius, height) turned about z; normals are smooth around, and along where it bends little.
  function turnedTriangles(profile, turns = 32) {
    const out = [];
    const across = (i) => {
      const [r0, z0] = profile[i], [r1, z1] = profile[i + 1];
      return unit([z1 - z0, 0, r0 - r1]);
    };
    const smooth = (i, j) => {
      const own = across(i), other = j >= 0 && j < profile.length - 1 ? across(j) : own;
      const bend = own[0] * other[0] + own[2] * other[2];
      return bend > 0.8 ? unit([own[0] + other[0], 0, own[2] + other[2]]) : own;
    };
    for (let i = 0; i + 1 < profile.length; ++i) {
      const low = smooth(i, i - 1), high = smooth(i, i + 1);
      for (let k = 0; k < turns; ++k) {
        const at = (j, turn, n) => {
          const a = (2 * Math.PI * turn) / turns, c = Math.cos(a), s = Math.sin(a), [r, z] = profile[j];
          return [r * c, r * s, z, n[0] * c, n[0] * s, n[2]];
        };
        const a = at(i, k, low), b = at(i, k + 1, low), c = at(i + 1, k + 1, high), d = at(i + 1, k, high);
        out.push(...a, ...b, ...c, ...a, ...c, ...d);
      }
    }
    return out;
  }

  function ballTriangles(radii) {
    const profile = [];
    for (let i = 0; i <= 16; ++i) {
      const a = -Math.PI / 2 + (Math.PI * i) / 16;
      profile.push([Math.cos(a), Math.sin(a)]);
    }
    const out = turnedTriangles(profile);
    for (let i = 0; i < out.length; i += 6) {
      const p = [0, 1, 2].map((k) => out[i + k] * radii[k]);
      const n = unit([0, 1, 2].map((k) => out[i + k] / radii[k]));
      for (let k = 0; k < 3; ++k) (out[i + k] = p[k]), (out[i + 3 + k] = n[k]);
    }
    return out;
  }

  function meshTriangles(shape) {
    const v = new Float32Array(bytes(shape.vertices)), t = new Uint32Array(bytes(shape.triangles));
    const out = new Float32Array(6 * t.length), p = (i) => [v[3 * i], v[3 * i + 1], v[3 * i + 2]];
    for (let i = 0; i < t.length; i += 3) {
      const a = p(t[i]), b = p(t[i + 1]), c = p(t[i + 2]), n = unit(cross(sub(b, a), sub(c, a)));
      [a, b, c].forEach((q, k) => out.set([...q, ...n], 6 * (i + k)));
    }
    return out;
  }

  function planeTriangles({ normal, offset }) {
    const n = unit(normal), u = unit(cross(n, Math.abs(n[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0])), w = cross(n, u);
    const at = (a, b) => [0, 1, 2].map((k) => n[k] * offset + 10 * (a * u[k] + b * w[k]));
    const out = [];
    flat(out, at(-1, -1), at(1, -1), at(1, 1));
    flat(out, at(-1, -1), at(1, 1), at(-1, 1));
    return out;
  }

  const makers = {
    box: (s) => boxTriangles(s.size),
    ball: (s) => ballTriangles(s.radii),
    turned: (s) => turnedTriangles(s.profile),
    mesh: meshTriangles,
    plane: planeTriangles,
  };

  // ---- poses: 12 numbers, columns x y z of the rotation, then the origin

  function matrix(pose, i = 0) {
    const [x, y, z, a, b, c, d] = pose.slice(7 * i, 7 * i + 7);
    return [
      1 - 2 * (b * b + c * c), 2 * (a * b + c * d), 2 * (a * c - b * d),
      2 * (a * b - c * d), 1 - 2 * (a * a + c * c), 2 * (b * c + a * d),
      2 * (a * c + b * d), 2 * (b * c - a * d), 1 - 2 * (a * a + b * b),
      x, y, z,
    ];
  }
  function product(A, B) {
    const out = [];
    for (let column = 0; column < 4; ++column) {
      for (let row = 0; row < 3; ++row) {
        let sum = column === 3 ? A[9 + row] : 0;
        for (let k = 0; k < 3; ++k) sum += A[3 * k + row] * B[3 * column + k];
        out.push(sum);
      }
    }
    return out;
  }
  const whole = (M) => [M[0], M[1], M[2], 0, M[3], M[4], M[5], 0, M[6], M[7], M[8], 0, M[9], M[10], M[11], 1];

  // Between two pictures: the origin moves straight, the rotation along the shorter arc.
  function between(poses, i, share) {
    const a = poses.slice(7 * i, 7 * i + 7), b = poses.slice(7 * i + 7, 7 * i + 14);
    if (share === 0 || b.length < 7 || Number.isNaN(b[0])) return a;
    let dot = 0;
    for (let k = 3; k < 7; ++k) dot += a[k] * b[k];
    const sign = dot < 0 ? -1 : 1, out = [];
    for (let k = 0; k < 7; ++k) out.push((1 - share) * a[k] + share * (k < 3 ? 1 : sign) * b[k]);
    const n = Math.hypot(out[3], out[4], out[5], out[6]);
    for (let k = 3; k < 7; ++k) out[k] /= n;
    return out;
  }

  // ---- what is drawn

  function buffer(numbers) {
    const made = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, made);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.STATIC_DRAW);
    return { buffer: made, count: numbers.length / 6 };
  }

  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  const bodies = scene.bodies.map((body) => {
    const poses = Array.from(new Float32Array(bytes(body.poses)));
    const finite = body.shapes.filter((shape) => shape.kind !== "plane");
    if (finite.length) {
      for (let i = 0; i < poses.length; i += 7) {
        if (Number.isNaN(poses[i])) continue;
        for (let k = 0; k < 3; ++k) {
          low[k] = Math.min(low[k], poses[i + k]);
          high[k] = Math.max(high[k], poses[i + k]);
        }
      }
    }
    const shapes = body.shapes.map((shape) => ({
      ...buffer(makers[shape.kind](shape)),
      pose: matrix(shape.pose),
      color: shape.color,
      ground: shape.kind === "plane",
    }));
    return { name: body.name, poses, shapes, fixed: poses.length === 7 };
  });
  if (!Number.isFinite(low[0])) low.fill(-1), high.fill(1);

  const program = gl.createProgram();
  for (const [kind, text] of [
    [gl.VERTEX_SHADER, `
      attribute vec3 place, normal;
      uniform mat4 model, view, projection;
      varying vec3 n, p;
      void main() {
        vec4 w = model * vec4(place, 1.0);
        n = mat3(model) * normal; p = w.xyz;
        gl_Position = projection * view * w;
      }`],
    [gl.FRAGMENT_SHADER, `
      precision highp float;
      uniform vec4 color; uniform vec3 eye; uniform float plain, grid;
      varying vec3 n, p;
      void main() {
        vec3 N = normalize(n), E = normalize(eye - p);
        if (dot(N, E) < 0.0) N = -N;
        vec3 L = normalize(vec3(0.4, -0.5, 0.9));
        float light = 0.42 + 0.16 * N.z + 0.45 * max(dot(N, L), 0.0) + 0.08 * max(dot(N, E), 0.0);
        float shine = 0.12 * pow(max(dot(N, normalize(L + E)), 0.0), 24.0);
        vec3 c = color.rgb * mix(light, 1.0, plain) + shine * (1.0 - plain);
        if (grid > 0.5) {
          vec2 cell = abs(fract(p.xy - 0.5) - 0.5);
          float far = length(eye - p), line = 0.004 + 0.0012 * far;
          c *= 1.0 - 0.14 * (1.0 - smoothstep(0.0, line, min(cell.x, cell.y)));
          c = mix(c, vec3(1.0), smoothstep(5.0, 10.0, length(p.xy)));
        }
        gl_FragColor = vec4(c, color.a);
      }`],
  ]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  const place = gl.getAttribLocation(program, "place"), normal = gl.getAttribLocation(program, "normal");
  const uniform = Object.fromEntries(
    ["model", "view", "projection", "color", "eye", "plain", "grid"].map((name) => [name, gl.getUniformLocation(program, name)]),
  );
  gl.enableVertexAttribArray(place);
  gl.enableVertexAttribArray(normal);
  gl.enable(gl.DEPTH_TEST);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  const lines = gl.createBuffer();

  // ---- camera: around a point, z up

  const size = Math.max(0.5, Math.hypot(...sub(high, low)) + 0.6);
  const camera = { about: low.map((x, k) => (x + high[k]) / 2), distance: 0.95 * size, turn: -0.9, height: 0.35 };
  const eyeOf = () => {
    const c = Math.cos(camera.height);
    const back = [c * Math.cos(camera.turn), c * Math.sin(camera.turn), Math.sin(camera.height)];
    return camera.about.map((x, k) => x + camera.distance * back[k]);
  };

  function viewing(eye) {
    const z = unit(sub(eye, camera.about)), x = unit(cross([0, 0, 1], z)), y = cross(z, x);
    const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
  }
  function projecting(aspect) {
    const f = 1 / Math.tan(0.4), near = 0.01 * camera.distance, far = 40 * camera.distance + 40;
    const fx = aspect < 1 ? f : f / aspect, fy = aspect < 1 ? f * aspect : f;
    return [fx, 0, 0, 0, 0, fy, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0];
  }

  // ---- drawing

  function attributes() {
    gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 24, 0);
    gl.vertexAttribPointer(normal, 3, gl.FLOAT, false, 24, 12);
  }

  function draw() {
    const ratio = window.devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    if (canvas.width !== width || canvas.height !== height) (canvas.width = width), (canvas.height = height);
    gl.viewport(0, 0, width, height);
    gl.clearColor(1, 1, 1, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const eye = eyeOf(), [picture, share] = placeOf(now);
    gl.uniformMatrix4fv(uniform.view, false, viewing(eye));
    gl.uniformMatrix4fv(uniform.projection, false, projecting(width / Math.max(1, height)));
    gl.uniform3fv(uniform.eye, eye);
    gl.uniform1f(uniform.plain, 0);
    for (const clear of [false, true]) {
      gl.depthMask(!clear);
      for (const body of bodies) {
        const pose = body.fixed ? body.poses : between(body.poses, picture, share);
        if (Number.isNaN(pose[0])) continue;
        const M = matrix(pose);
        for (const shape of body.shapes) {
          if (shape.color[3] < 1 !== clear) continue;
          gl.bindBuffer(gl.ARRAY_BUFFER, shape.buffer);
          attributes();
          gl.uniformMatrix4fv(uniform.model, false, whole(product(M, shape.pose)));
          gl.uniform4fv(uniform.color, shape.color);
          gl.uniform1f(uniform.grid, shape.ground ? 1 : 0);
          gl.drawArrays(gl.TRIANGLES, 0, shape.count);
        }
      }
    }
    gl.depthMask(true);
    drawForces(picture);
  }

  const largest = Math.max(1e-9, ...scene.contacts.flatMap((row) => {
    const found = [];
    for (let i = 0; i < row.length; i += 6) found.push(Math.hypot(row[i + 3], row[i + 4], row[i + 5]));
    return found.length ? [Math.max(...found)] : [];
  }));
  function drawForces(picture) {
    const row = scene.contacts[picture];
    if (!row.length || !document.getElementById("forces").checked) return;
    const ends = [];
    for (let i = 0; i < row.length; i += 6) {
      const force = row.slice(i + 3, i + 6), length = Math.hypot(...force);
      const scale = (0.25 * size * Math.sqrt(length / largest)) / length * (force[2] < 0 ? -1 : 1);
      ends.push(...row.slice(i, i + 3), 0, 0, 1, ...force.map((f, k) => row[i + k] + scale * f), 0, 0, 1);
    }
    gl.disable(gl.DEPTH_TEST);
    gl.bindBuffer(gl.ARRAY_BUFFER, lines);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(ends), gl.DYNAMIC_DRAW);
    attributes();
    gl.uniformMatrix4fv(uniform.model, false, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    gl.uniform4fv(uniform.color, [0.85, 0.15, 0.1, 1]);
    gl.uniform1f(uniform.plain, 1);
    gl.uniform1f(uniform.grid, 0);
    gl.drawArrays(gl.LINES, 0, ends.length / 6);
    gl.enable(gl.DEPTH_TEST);
  }

  // ---- time

  const times = scene.times, first = times[0], last = times[times.length - 1];
  const slider = document.getElementById("time"), clock = document.getElementById("clock");
  const play = document.getElementById("play"), speed = document.getElementById("speed");
  slider.min = first;
  slider.max = last;
  let now = first, playing = false, before = 0;

  function placeOf(time) {
    const step = (last - first) / (times.length - 1) || 1, x = Math.min(times.length - 1, Math.max(0, (time - first) / step));
    const i = Math.min(Math.floor(x + 1e-6), times.length - 1);
    return [i, Math.max(0, x - i)];
  }
  function show(time) {
    now = Math.min(last, Math.max(first, time));
    slider.value = now;
    clock.textContent = `${now.toFixed(2)} s`;
    draw();
  }
  function tick(stamp) {
    if (!playing) return;
    const passed = before ? (stamp - before) / 1000 : 0;
    before = stamp;
    show(now + passed * Number(speed.value));
    if (now >= last) toggle();
    else requestAnimationFrame(tick);
  }
  function toggle() {
    playing = !playing;
    play.textContent = playing ? "Pause" : "Play";
    before = 0;
    if (playing) {
      if (now >= last) now = first;
      requestAnimationFrame(tick);
    }
  }
  play.addEventListener("click", toggle);
  slider.addEventListener("input", () => show(Number(slider.value)));
  document.getElementById("forces").addEventListener("change", draw);

  // ---- mouse and fingers: turn; with the right button, Shift or two fingers shift; wheel and pinch come nearer

  const fingers = new Map();
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointermove", (event) => {
    const from = fingers.get(event.pointerId);
    if (!from) return;
    const to = [event.clientX, event.clientY], dx = to[0] - from[0], dy = to[1] - from[1];
    if (fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1];
      camera.distance *= Math.hypot(from[0] - other[0], from[1] - other[1]) / Math.max(1, Math.hypot(to[0] - other[0], to[1] - other[1]));
    }
    if (fingers.size > 1 || event.shiftKey || event.buttons & 2) {
      const V = viewing(eyeOf()), scale = (camera.distance * 0.85) / canvas.clientHeight;
      for (let k = 0; k < 3; ++k) camera.about[k] += scale * (-dx * V[4 * k] + dy * V[4 * k + 1]);
    } else {
      camera.turn -= 0.008 * dx;
      camera.height = Math.min(1.55, Math.max(-1.55, camera.height + 0.008 * dy));
    }
    fingers.set(event.pointerId, to);
    draw();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.distance *= Math.exp(0.001 * event.deltaY);
    draw();
  }, { passive: false });
  new ResizeObserver(draw).observe(canvas);
  show(first);
  window.replay = { show, toggle, camera, draw, bodies, get now() { return now; } };
})();
