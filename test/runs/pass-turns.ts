/** Lets the event loop turn this many times, so that work in this process goes on without real time. */
export async function passTurns(count = 30): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
