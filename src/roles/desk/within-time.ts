import { Fault } from '../../model/fault.ts';
import type { Clock } from '../../ports/clock.ts';
import { ANSWER_LENGTH_MAX, type Generated, UNSAID } from '../../ports/language-model.ts';
import { thrownByModel } from '../../ports/thrown-by-model.ts';
import type { Timer } from '../../ports/timer.ts';

export interface Waiting {
  readonly clock: Clock;
  readonly timer: Timer;
  /** Raised where nobody waits for an answer any more. */
  readonly signal: AbortSignal;
}

/** One request, within its time. A model that does not stop when it is told to is not waited for. */
export async function withinTime(
  { clock, timer, signal }: Waiting,
  timeoutMs: number,
  generate: (signal: AbortSignal) => Promise<Generated>,
): Promise<Generated> {
  const over = new AbortController();
  const called = AbortSignal.any([signal, over.signal]);
  const late = timer.until(clock.nowMs() + timeoutMs, called).then((): Generated => {
    const why = signal.aborted ? 'it was called back before it answered' : `no answer within ${timeoutMs} ms`;
    return { ok: false, fault: new Fault('model_timeout', why), retryAfterMs: 0, usage: UNSAID };
  });
  try {
    return sound(await Promise.race([attempted(() => generate(called)), late]));
  } finally {
    over.abort();
  }
}

/** A connection promises not to throw; a stranger's may break that promise. */
async function attempted(generate: () => Promise<Generated>): Promise<Generated> {
  try {
    return await generate();
  } catch (error) {
    return { ok: false, fault: thrownByModel(error), retryAfterMs: 0 };
  }
}

/** An answer that is no text, or more text than anybody asked for, is none. What it took is charged all the same. */
function sound(generated: Generated): Generated {
  if (!generated.ok) return generated;
  const { text, usage } = generated.answer;
  const why = typeof text !== 'string' ? 'the answer is not a text' : tooLong(text);
  if (why === null) return generated;
  return { ok: false, fault: new Fault('model_rejected', why), retryAfterMs: 0, usage: usage ?? UNSAID };
}

const tooLong = ({ length }: string): string | null =>
  length <= ANSWER_LENGTH_MAX
    ? null
    : `the answer has ${length} characters, and ${ANSWER_LENGTH_MAX} are taken: ask for less with outputTokensMax of its profile, or find out why the server does not keep to it`;
