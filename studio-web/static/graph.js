// Replays what studio-web/src/view/graph/pen.rs wrote on a canvas: one call a frame, where a call for each line and
// word would cost more than painting them. `words` are the texts, a line each.
const SANS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans","Liberation Sans",sans-serif';
const MONO = 'ui-monospace,"SF Mono",Consolas,"Liberation Mono","DejaVu Sans Mono",monospace';

const colors = new Map();
function css(color) {
  let text = colors.get(color);
  if (!text) colors.set(color, (text = `#${color.toString(16).padStart(6, "0")}`));
  return text;
}

globalThis.paintGraph = (canvas, codes, words) => {
  const context = canvas.getContext("2d");
  const texts = words.split("\n");
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.lineJoin = "round";
  let at = 0, said = 0, font = "";
  const next = () => codes[at++];
  while (at < codes.length) {
    switch (next()) {
      case 0: {
        const scale = next();
        context.setTransform(scale, 0, 0, scale, next(), next());
        break;
      }
      case 1: {
        const [x, y, w, h, radius, fill, stroke, width] = codes.subarray(at, (at += 8));
        context.beginPath();
        if (radius > 0) context.roundRect(x, y, w, h, radius);
        else context.rect(x, y, w, h);
        if (fill >= 0) {
          context.fillStyle = css(fill);
          context.fill();
        }
        if (stroke >= 0) {
          context.strokeStyle = css(stroke);
          context.lineWidth = width;
          context.stroke();
        }
        break;
      }
      case 2: {
        context.strokeStyle = css(next());
        context.lineWidth = next();
        const count = next();
        context.beginPath();
        let x = next(), y = next();
        context.moveTo(x, y);
        for (let point = 1; point < count; point += 1) {
          const toX = next(), toY = next();
          if (Math.abs(toX - x) < 0.25) context.lineTo(toX, toY);
          else {
            const middle = (y + toY) / 2;
            context.bezierCurveTo(x, middle, toX, middle, toX, toY);
          }
          (x = toX), (y = toY);
        }
        context.stroke();
        break;
      }
      default: {
        const [x, y, size, color, flags, halo] = codes.subarray(at, (at += 6));
        const wanted = `${flags & 1 ? "600 " : ""}${size}px ${flags & 2 ? MONO : SANS}`;
        if (wanted !== font) context.font = font = wanted;
        context.textAlign = flags & 4 ? "right" : "left";
        const text = texts[said++];
        if (halo >= 0) {
          context.strokeStyle = css(halo);
          context.lineWidth = 4;
          context.strokeText(text, x, y);
        }
        context.fillStyle = css(color);
        context.fillText(text, x, y);
      }
    }
  }
};
