/** Judges, drafters, classifiers and reviewers have their own timeout, set next to their model. */
import { describe, expect, test } from 'vitest';
import { ambit, modelClassifier, modelDrafter, modelJudge, modelReviewer } from '../../src/compose.ts';
import { NO_COST } from '../../src/model/tool/tool.ts';
import type { LanguageModel } from '../../src/ports/model/language-model.ts';
import type { Drafter, Judge, TimeLimited } from '../../src/ports/model/model-roles.ts';
import { createModelClient } from '../../src/roles/client/model-client.ts';
import { RETRY_POLICY } from '../../src/roles/client/retry.ts';
import { askForReflection } from '../../src/session/perform/ask-reviewer.ts';
import { scriptedModel } from '../../src/testing/scripted-model.ts';
import { simulatedClock } from '../../src/testing/simulated-clock.ts';
import { draftRig } from '../runs/drafts/bench.ts';
import { eventsOf, proposed, turns } from '../runs/endings/turns.ts';
import { partsOf } from '../runs/graphs/kernel.ts';
import { accountAgent, CLOSE_IT } from '../runs/intake/accounts.ts';
import { repeatPlan } from '../runs/judges/bench.ts';
import { profileOf } from '../runs/model-profile.ts';
import { countingIds, letTimePass, planOf, REQUEST, rig, START_MS } from '../runs/rig.ts';

const TIME_MS = 5_000;

/** A model that never answers, with a profile timeout far above the timeout of its role. */
const hanging = () => {
  const never: LanguageModel = { id: 'test/hanging', generate: () => new Promise(() => undefined) };
  return profileOf(scriptedModel([]), { model: never, requestTimeoutMs: 50_000 });
};

test('a judge counts as timed out after its own timeout', async () => {
  const judge = modelJudge({
    name: 'reader',
    version: '1',
    model: hanging(),
    criteria: { quality: 'The work is good.' },
    applies: { run: false },
    timeoutMs: TIME_MS,
  });
  const bench = rig({
    tools: { work: { produces: ['done'] } },
    plans: repeatPlan(1),
    options: { limits: { onEscalate: 'end' } },
    world: { judges: [judge] },
  });
  const { runId } = await bench.invoke();
  const [answered] = eventsOf(await bench.events(runId), 'judges_answered');
  expect(answered).toMatchObject({ at: START_MS + TIME_MS, answers: [{ outcome: 'timed_out' }] });
});

test('a drafter fails after its own timeout', async () => {
  const drafter = modelDrafter({ model: hanging(), timeoutMs: TIME_MS });
  const bench = draftRig([], { drafter, options: { limits: { onEscalate: 'end' } } });
  const { runId } = await bench.invoke();
  const [drafted] = eventsOf(await bench.events(runId), 'arguments_drafted');
  const failure = { code: 'model_timeout', message: 'there was no answer within 5000 ms' };
  expect(drafted).toMatchObject({ at: START_MS + TIME_MS, failure });
});

test('a classifier gives no reading after its own timeout', async () => {
  const clock = simulatedClock(START_MS);
  const classifier = modelClassifier({ model: hanging(), timeoutMs: TIME_MS });
  const runtime = ambit({ ...accountAgent([]), world: { clock, timer: clock, ids: countingIds(), classifier } });
  const run = await letTimePass(clock, runtime.invoke({ ...REQUEST, intent: 'close', goal: CLOSE_IT }));
  expect(run).toMatchObject({ status: 'paused', suspended: { code: 'AMBIGUOUS_INTENT' } });
  expect(clock.nowMs()).toBe(START_MS + TIME_MS);
});

test("a run continues without a reviewer after the reviewer's own timeout", async () => {
  const clock = simulatedClock(START_MS);
  const { ports, pins } = partsOf({ tools: { read: { produces: ['done'] } } });
  const { models } = ports;
  const parts = { models, clock, timer: clock };
  const openClient = createModelClient({ ...parts, retry: RETRY_POLICY, hash: pins.env.hash });
  const reviewer = modelReviewer({ model: hanging(), timeoutMs: TIME_MS });
  const run = turns({ tools: { read: { produces: ['done'] } } });
  run.say(proposed(planOf([{ id: 'a', tool: 'read' }])));
  const reason = { code: 'low_confidence', step_id: 'a', message: 'doubtful', detail: {} };
  const asked = { kind: 'reflect', trigger: 'low_confidence', reason } as const;
  const call = { ...parts, reviewer, openModelClient: openClient, allowance: reviewer.cost ?? NO_COST };
  const reflected = askForReflection(call, run.state, asked, new AbortController().signal);
  clock.advanceTo(START_MS + TIME_MS);
  expect((await reflected).event).toMatchObject({ note: 'the reviewer did not answer in time' });
});

test('the heartbeat check counts the timeouts of judges and drafter', async () => {
  const [judge, drafter] = [MAKERS['modelJudge'], MAKERS['modelDrafter']].map((make) => make?.({ timeoutMs: 900_000 }));
  const bench = rig({
    tools: { work: { produces: ['done'] } },
    plans: repeatPlan(1),
    world: { judges: [judge as Judge], drafter: drafter as Drafter },
  });
  const runtime = { max_session_duration_ms: 4 * 3_600_000, heartbeat_interval_ms: 600_000 };
  const asked = bench.invoke({ mode: 'long_running', runtime });
  await expect(asked).rejects.toThrow(/a healthy run may be silent for 27\d{5} ms/u);
});

const NONSENSE: readonly unknown[] = [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5000', null, 3_600_001];
const model = scriptedModel([]);
const MAKERS: Readonly<Record<string, (time: TimeLimited) => TimeLimited>> = {
  modelJudge: (time) => modelJudge({ name: 'reader', version: '1', model, criteria: { good: 'It is.' }, ...time }),
  modelDrafter: (time) => modelDrafter({ model, ...time }),
  modelClassifier: (time) => modelClassifier({ model, ...time }),
  modelReviewer: (time) => modelReviewer({ model, ...time }),
};

describe.each(Object.entries(MAKERS))('%s', (of, make) => {
  test('uses the timeout it is created with, and has none by default', () => {
    expect(make({ timeoutMs: 1 })).toHaveProperty('timeoutMs', 1);
    expect(make({ timeoutMs: 3_600_000 })).toHaveProperty('timeoutMs', 3_600_000);
    expect(make({})).not.toHaveProperty('timeoutMs');
  });

  test.each(NONSENSE)('rejects a timeout of %s', (timeoutMs) => {
    const message = `${of}: timeoutMs is a whole number of milliseconds from 1 to 3600000, not ${String(timeoutMs)}`;
    const refusal = expect.objectContaining({ code: 'input_invalid', path: '/timeoutMs', message });
    expect(() => make({ timeoutMs } as TimeLimited)).toThrow(refusal);
  });

  test('rejects a timeout under another option name, which would have no effect', () => {
    expect(() => make({ timeout: 5_000 } as TimeLimited)).toThrow(/there is no option timeout; there are .*timeoutMs/u);
  });
});

test.each(['judges/0', 'drafter', 'classifier', 'reviewer'])('rejects an invalid timeout of a custom %s', (part) => {
  const [name = ''] = part.split('/');
  const [judge, drafter, classifier, reviewer] = Object.values(MAKERS).map((make) => ({ ...make({}), timeoutMs: 0 }));
  const parts: Readonly<Record<string, unknown>> = { judges: [judge], drafter, classifier, reviewer };
  const put = () => rig({ tools: { work: { produces: ['done'] } }, plans: [], world: { [name]: parts[name] } });
  const path = `/world/${part}/timeoutMs`;
  expect(put).toThrow(
    expect.objectContaining({ code: 'input_invalid', path, message: expect.stringContaining('not 0') }),
  );
});
