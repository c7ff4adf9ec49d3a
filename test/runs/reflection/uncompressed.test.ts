/** A compression that failed because the model is unavailable lost nothing: it is an outage, not a safety problem. */
import { describe, expect, test } from 'vitest';
import { modelReviewer } from '../../../src/compose.ts';
import type { EventOf } from '../../../src/model/events/event.ts';
import { Fault, type FaultCode } from '../../../src/model/fault/fault.ts';
import { NO_COST } from '../../../src/model/tool/tool.ts';
import { createModelClient } from '../../../src/roles/client/model-client.ts';
import { RETRY_POLICY } from '../../../src/roles/client/retry.ts';
import { askForCompression } from '../../../src/session/perform/ask-reviewer.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { partsOf } from '../graphs/kernel.ts';
import { profileOf } from '../model-profile.ts';
import { planOf } from '../rig.ts';

const TOOLS = { read: { retries_max: 0, produces: ['done'] } };

/** The first plan exceeded the context threshold. Its step failed, so the run needs a second plan. */
function crowdedRun(onEscalate: 'pause' | 'end'): Turns {
  const run = turns({ tools: TOOLS, options: { limits: { onEscalate } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }]), { context_tokens: 90_000 }));
  run.say(answered(run, { outcome: 'error', raw: null }));
  expect(run.outbox).toEqual([{ kind: 'compress_context' }]);
  return run;
}

const OUTAGE: Omit<EventOf<'context_compressed'>, 'at'> = {
  type: 'context_compressed',
  lost: [],
  failure: { code: 'model_unreachable', message: 'connection refused' },
  tokens: 90_000,
  pointer: 'trace_1@1',
};

test('a run that ends on escalation names the unavailable dependency', () => {
  const run = crowdedRun('end');
  run.say(OUTAGE);
  expect(run.state.ending.terminal).toMatchObject({
    code: 'UNAVAILABLE_DEP',
    reason: 'model_unreachable',
    detail: { dependency: 'compressor', message: 'connection refused' },
  });
});

test('a paused run tries the compression again when it continues', () => {
  const run = crowdedRun('pause');
  run.say(OUTAGE);
  expect(eventsOf(run.events, 'run_escalated')).toMatchObject([{ escalation: { trigger: 'provider_outage' } }]);
  run.say({ type: 'escalation_decided', decision: 'continue', by: 'ben', reason: 'it is back' });
  expect(run.outbox).toEqual([{ kind: 'compress_context' }]);
});

async function compressWith(code: FaultCode): Promise<unknown> {
  const { ports, pins } = partsOf({ tools: TOOLS });
  const { models, clock, timer } = ports;
  const retry = { ...RETRY_POLICY, attempts: 1 };
  const model = profileOf(scriptedModel([new Fault(code, 'as it is')]), { retry });
  const reviewer = modelReviewer({ model });
  const openModelClient = createModelClient({ models, retry, clock, timer, hash: pins.env.hash });
  const call = { reviewer, openModelClient, allowance: reviewer.cost ?? NO_COST, models, clock, timer };
  const run = turns({ tools: TOOLS });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }]), { context_tokens: 700 }));
  const notes = [{ id: 'note_1', text: 'a note that may go' }];
  return (await askForCompression(call, run.state, { items: [], notes }, new AbortController().signal)).event;
}

describe('a model that fails', () => {
  test.each<FaultCode>([
    'model_unreachable',
    'model_overloaded',
    'model_timeout',
    'model_rejected',
    'model_misconfigured',
  ])('with %s is unavailable', async (code) => {
    expect(await compressWith(code)).toMatchObject({ lost: [], failure: { code }, tokens: 700 });
  });

  test('by refusing is available and kept nothing', async () => {
    expect(await compressWith('model_refused')).toMatchObject({ lost: [expect.stringContaining('declined')] });
  });
});
