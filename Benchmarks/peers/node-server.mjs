// Server-Sent Events on node's own http module, as its users write it: one Set of responses per topic,
// each event encoded once and given to `write`. A client that does not read is buffered without a bound.
//
//   node node-server.mjs PORT BYTES
//
// GET /subscribe/TOPIC, POST /publish/TOPIC; GET /static answers BYTES bytes of JSON.
import { createServer } from "node:http";

const [port, staticBytes] = process.argv.slice(2).map(Number);
const staticBody = Buffer.from(JSON.stringify({ pad: "x".repeat(Math.max(0, staticBytes - '{"pad":""}'.length)) }));
const subscribers = new Map();
let position = 0;

function subscribe(topic, response) {
  response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
  response.flushHeaders();
  const members = subscribers.get(topic) ?? new Set();
  subscribers.set(topic, members.add(response));
  response.on("close", () => members.delete(response));
}

function publish(topic, request, response) {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    position += 1;
    const event = Buffer.from(`id: ${position}\ndata: ${Buffer.concat(parts)}\n\n`);
    for (const member of subscribers.get(topic) ?? []) member.write(event);
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 2 }).end("{}");
  });
}

const server = createServer((request, response) => {
  const [, verb, topic] = request.url.split("/");
  if (request.method === "POST" && verb === "publish") return publish(topic, request, response);
  if (request.method === "GET" && verb === "subscribe") return subscribe(topic, response);
  if (request.method === "GET" && verb === "static") {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": staticBody.length });
    return response.end(staticBody);
  }
  response.writeHead(404).end();
});
server.keepAliveTimeout = 0;
server.requestTimeout = 0;
server.listen({ port, host: "127.0.0.1", backlog: 4096 });
