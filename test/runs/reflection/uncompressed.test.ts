/** A model that cannot be asked has compressed nothing, and lost nothing: that is an outage, and no danger. */
import { describe, expect, test } from 'vitest';
import { modelReviewer } from '../../../src/compose.ts';
import type { EventOf } from '../../../src/model/event.ts';
import { Fault, type FaultCode } from '../../../src/model/fault.ts';
import { NO_COST } from '../../../src/model/tool.ts';
import { deskOf } from '../../../src/roles/desk/open-desk.ts';
import { RETRY_POLICY } from '../../../src/roles/desk/retry.ts';
import { askForCompression } from '../../../src/session/ask-reviewer.ts';
import { scriptedModel } from '../../../src/testing/scripted-model.ts';
import { answered, eventsOf, proposed, type Turns, turns } from '../endings/turns.ts';
import { partsOf } from '../graphs/kernel.ts';
import { profileOf } from '../model-profile.ts';
import { planOf } from '../rig.ts';

const TOOLS = { read: { retries_max: 0, produces: ['done'] } };

/** A first plan was made with more context than there is room for; its step failed, and a second plan is wanted. */
function crowded(onEscalate: 'pause' | 'end'): Turns {
  const run = turns({ tools: TOOLS, options: { limits: { onEscalate } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }]), { context_tokens: 90_000 }));
  run.say(answered(run, { outcome: 'error', raw: null }));
  expect(run.outbox).toEqual([{ kind: 'compress_context' }]);
  return run;
}

const OUTAGE: Omit<EventOf<'context_compressed'>, 'at'> = {
  type: 'context_compressed',
  lost: [],
  failure: { code: 'model_unreachable', message: 'nobody is there' },
  tokens: 90_000,
  pointer: 'trace_1@1',
};

test('a run that waits for nobody ends for the outage, and names who is not there', () => {
  const run = crowded('end');
  run.say(OUTAGE);
  expect(run.state.ending.terminal).toMatchObject({
    code: 'UNAVAILABLE_DEP',
    reason: 'model_unreachable',
    detail: { dependency: 'compressor', message: 'nobody is there' },
  });
});

test('a run that is handed over tries it again when somebody lets it go on: nothing was used up', () => {
  const run = crowded('pause');
  run.say(OUTAGE);
  expect(eventsOf(run.events, 'run_escalated')).toMatchObject([{ escalation: { trigger: 'provider_outage' } }]);
  run.say({ type: 'escalation_decided', decision: 'continue', by: 'ben', reason: 'it is back' });
  expect(run.outbox).toEqual([{ kind: 'compress_context' }]);
});

async function asked(code: FaultCode): Promise<unknown> {
  const { ports, pins } = partsOf({ tools: TOOLS });
  const { models, clock, timer } = ports;
  const retry = { ...RETRY_POLICY, attempts: 1 };
  const model = profileOf(scriptedModel([new Fault(code, 'as it is')]), { retry });
  const reviewer = modelReviewer({ model });
  const openDesk = deskOf({ models, retry, clock, timer, hash: pins.env.hash });
  const call = { reviewer, openDesk, allowance: reviewer.cost ?? NO_COST, models, clock, timer };
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
  ])('with %s is not there', async (code) => {
    expect(await asked(code)).toMatchObject({ lost: [], failure: { code }, tokens: 700 });
  });

  test('by declining to answer was there, and has kept nothing', async () => {
    expect(await asked('model_refused')).toMatchObject({ lost: [expect.stringContaining('declined')] });
  });
});
