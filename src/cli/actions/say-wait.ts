import type { Ambit } from '../../index.ts';
import type { Call } from '../command.ts';
import { leftCall, leftCallWords } from '../views/left-call.ts';
import { eventsOf } from './events-of.ts';
import { word } from './with-runtime.ts';

/** Says what a session that its process left is about to wait for: half a minute of silence looks like the end of it. */
export async function sayWait(call: Call, runtime: Ambit): Promise<void> {
  const tools = runtime.agents().flatMap((agent) => agent.tools);
  const left = leftCall(await eventsOf(runtime, word(call, 'session')), tools, Date.now());
  if (left !== null) call.terminal.note((paint) => paint('quiet', leftCallWords(left, Date.now())));
}

/** The same, unless another process drives the session: then it is that one which waits. */
export async function sayWaitHere(call: Call, runtime: Ambit): Promise<void> {
  if ((await runtime.driver(word(call, 'session'))) === null) await sayWait(call, runtime);
}
