// A websocket on a thread of its own. A browser hands a websocket's bytes on in small portions from the thread that
// sent them, and only while that thread has nothing else to do; the export worker always has.
// It is told the URL first, then what to send; it tells what the socket reports, and gives buffers back.
let socket;

self.onmessage = ({ data }) => {
  if (!socket) {
    socket = new WebSocket(data);
    socket.onopen = () => self.postMessage(["open"]);
    socket.onmessage = (event) => self.postMessage(["message", event.data]);
    socket.onclose = ({ code, reason }) => self.postMessage(["closed", code, reason]);
    return;
  }
  socket.send(data);
  if (data instanceof ArrayBuffer) self.postMessage(["sent", data], [data]);
};
