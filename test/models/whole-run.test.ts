/** Complete runs planned by models over real HTTP: their records, their replay and their cost. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { memoryJournal } from '../../src/adapters/memory/memory-journal.ts';
import { sha256 } from '../../src/adapters/node/ids-and-hash.ts';
import { systemClock, systemTimer } from '../../src/adapters/node/system-clock.ts';
import { modelProfile, planFirst } from '../../src/compose.ts';
import { type Frame, type FrameLink, GENESIS, sealFrame } from '../../src/model/events/frame.ts';
import { Fault } from '../../src/model/fault/fault.ts';
import type { Address } from '../../src/model/json/hash.ts';
import type { Journal } from '../../src/ports/journal/journal.ts';
import type { LanguageModel } from '../../src/ports/model/language-model.ts';
import { type ModelServer, modelServer } from '../../src/testing/model-server/model-server.ts';
import type { ServedTurn } from '../../src/testing/model-server/served-turn.ts';
import { verifies } from '../requirements/verifies.ts';
import { of, plan, plannedStep } from '../runs/planning/bench.ts';
import { CAPS, REQUEST, type Rig, type RigOptions, rig } from '../runs/rig.ts';
import { sdkModel, WIRES, type WireName } from './wires.ts';

const PLAN = plan(
  plannedStep('s1', 'look'),
  plannedStep('s2', 'respond', { objective: 'say it' }, { depends_on: ['s1'] }),
);
const PRICE = { input: 3_000_000, output: 15_000_000 };

const HASTE = { attempts: 4, baseMs: 1, jitter: 0, waitMsMax: 1_000 };

type ModelOf = Parameters<typeof modelProfile>[0];

function benchOn(model: ModelOf, journal: Journal, caps: RigOptions['caps'] = CAPS): Rig {
  const profile = modelProfile(model, {
    name: 'main',
    price: PRICE,
    outputTokensMax: 2_000,
    requestTimeoutMs: 2_000,
    retry: HASTE,
  });
  const limits = { onEscalate: 'end' } as const;
  const options = { planner: planFirst({ model: profile }), limits } as RigOptions['options'] & object;
  const world = { clock: systemClock, timer: systemTimer, journal };
  return rig({ tools: { look: { produces: ['done'] } }, options, world, caps });
}

interface Served {
  readonly server: ModelServer;
  readonly journal: Journal;
  readonly bench: Rig;
  readonly run: Awaited<ReturnType<Rig['invoke']>>;
}

async function runOn(wire: WireName, script: readonly ServedTurn[], caps: RigOptions['caps'] = CAPS): Promise<Served> {
  const server = await modelServer(script);
  onTestFinished(() => server.close());
  const journal = memoryJournal({ hash: sha256 });
  const bench = benchOn(sdkModel(wire, server.url), journal, caps);
  return { server, journal, bench, run: await bench.runtime.invoke(REQUEST) };
}

describe.for(WIRES)('with the wire format of %s', (wire) => {
  test('a model plans the run, the run is pinned to it, and the exchange can be read back verbatim', async () => {
    const { server, bench, run } = await runOn(wire, [{ json: PLAN as never, model: 'served-1' }]);
    expect(run).toMatchObject({ status: 'completed', terminalCode: 'SUCCESS' });
    server.assertDrained();
    const events = await bench.events(run.runId);
    const id = wire === 'openai' ? 'local.chat/small-1' : 'anthropic.messages/claude-sonnet-4-5';
    const [started] = of(events, 'run_initialized');
    expect(started?.manifest.model_versions).toMatchObject({ planner: id, executor: 'none', verifier: 'none' });
    const [template, version] = Object.entries(started?.manifest.prompt_template_versions ?? {})[0] ?? [];
    const [proposed] = of(events, 'plan_proposed');
    const spent = { input_tokens: 100, output_tokens: 50, microusd: 1_050 };
    expect(proposed).toMatchObject({ author: 'model', spent });
    expect(proposed?.calls).toMatchObject([
      {
        role: 'planner',
        profile: 'main',
        model: 'served-1',
        template: `${template}@${version}`,
        parameters: { outputTokensMax: 2_000 },
        outcome: 'answered',
        attempt: 1,
        measured: true,
        spent,
      },
    ]);
    const [exchange] = await bench.runtime.records.exchanges(run.runId);
    expect(exchange).toMatchObject({ call: proposed?.calls?.[0], during: 'plan_proposed', at: proposed?.at });
    expect(JSON.parse(exchange?.response ?? '')).toEqual(PLAN);
    const { system } = JSON.parse(exchange?.prompt ?? '') as { readonly system: string };
    expect(JSON.stringify(server.requests[0]?.body)).toContain(JSON.stringify(system).slice(1, -1));
  });

  test('retries a provider that is busy and then resets the connection, and records each request', async () => {
    const trouble: readonly ServedTurn[] = [{ status: 429, retryAfter: '0' }, { resets: 'at_once' }];
    const { server, bench, run } = await runOn(wire, [...trouble, { json: PLAN as never }]);
    expect(run).toMatchObject({ status: 'completed' });
    server.assertDrained();
    const [proposed] = of(await bench.events(run.runId), 'plan_proposed');
    expect(proposed?.calls?.map(({ attempt, outcome, failure }) => [attempt, outcome, failure?.code])).toEqual([
      [1, 'failed', 'model_overloaded'],
      [2, 'failed', 'model_unreachable'],
      [3, 'answered', undefined],
    ]);
  });

  test('a rejected key ends the run with UNAVAILABLE_DEP and a user message', async () => {
    const { server, bench, run } = await runOn(wire, [{ status: 401, message: 'no' }]);
    server.assertDrained();
    expect(run).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP', reason: 'model_misconfigured' });
    const failures = of(await bench.events(run.runId), 'plan_failed');
    expect(failures).toHaveLength(1);
    expect(failures[0]?.calls).toMatchObject([{ failure: { severity: 'CRITICAL' } }]);
    expect(failures[0]).toMatchObject({
      code: 'model_misconfigured',
      message: expect.stringMatching(/^The model is not set up correctly\./),
    });
  });

  test('charges and records usage beyond the bound, and ends the run', async () => {
    const usage = { input_tokens: 100, output_tokens: 900_000 };
    const { bench, run } = await runOn(wire, [{ json: PLAN as never, usage }]);
    expect(run).toMatchObject({ terminalCode: 'BUDGET_EXHAUSTED' });
    const [proposed] = of(await bench.events(run.runId), 'plan_proposed');
    expect(proposed).toMatchObject({ spent: { output_tokens: 900_000 }, calls: [{ overrun: true }] });
    expect(bench.dispatches).toEqual([]);
  });
});

test('aborts a hanging request at its timeout and retries', async () => {
  const { server, bench, run } = await runOn('openai', [{ hangs: 'at_once' }, { json: PLAN as never }]);
  expect(run).toMatchObject({ status: 'completed' });
  server.assertDrained();
  const [proposed] = of(await bench.events(run.runId), 'plan_proposed');
  expect(proposed?.calls).toMatchObject([
    { outcome: 'timed_out', response: null, measured: false },
    { outcome: 'answered', measured: true },
  ]);
  const [hung] = proposed?.calls ?? [];
  expect(hung?.spent.input_tokens).toBeGreaterThan(0);
});

test('records and charges a request that was in flight when the planner timed out', async () => {
  const silent: LanguageModel = { id: 'a/silent', price: PRICE, generate: () => new Promise(() => undefined) };
  const profile = modelProfile(silent, { name: 'slow', requestTimeoutMs: 20_000 });
  const options = { planner: planFirst({ model: profile }), limits: { onEscalate: 'end' } } as RigOptions['options'] &
    object;
  const world = { plannerTimeouts: { usualMs: 30_000, byTaskClass: { task: 10_000 } } };
  const bench = rig({ tools: { look: { produces: ['done'] } }, options, world });
  const run = await bench.invoke();
  expect(run).toMatchObject({ terminalCode: 'UNAVAILABLE_DEP', reason: 'planner_timeout' });
  const failures = of(await bench.events(run.runId), 'plan_failed');
  expect(failures.length).toBeGreaterThan(1);
  for (const { calls, spent } of failures) {
    expect(calls).toMatchObject([{ outcome: 'called_back', response: null, measured: false }]);
    expect(spent).toEqual(calls?.[0]?.spent);
    expect(spent.microusd).toBeGreaterThan(0);
  }
});

/** A model with the id of the run's model that fails when it is called. */
const dead = (id: string): LanguageModel => ({
  id,
  generate: () => {
    throw new Fault('internal', 'a model was asked');
  },
});

/** The journal with changed events and recomputed hashes, as a forger would write it. */
function forgedJournal(journal: Journal, change: (events: string) => string): Journal {
  const forge = (frames: readonly Frame[]): readonly Frame[] => {
    let prev: FrameLink = GENESIS;
    return frames.map((frame) => {
      const sealed = sealFrame({ ...frame, events: change(frame.events), prev }, sha256);
      prev = sealed.hash;
      return sealed;
    });
  };
  return { ...journal, load: async (session, from) => forge(await journal.load(session, from)) };
}

verifies(
  'replay:input:model-call-lineage',
  'replay takes model answers from the journal and calls no model',
  async () => {
    const { server, journal, bench, run } = await runOn('openai', [{ json: PLAN as never }]);
    await server.close();
    const elsewhere = benchOn(dead('local.chat/small-1'), journal);
    const { state } = await elsewhere.runtime.records.replay(run.runId);
    expect(state.ending.terminal).toMatchObject({ code: 'SUCCESS' });
    expect(await elsewhere.runtime.records.exchanges(run.runId)).toEqual(
      await bench.runtime.records.exchanges(run.runId),
    );
  },
);

verifies(
  'replay:input:model-call-lineage',
  'replay stops and names a missing lineage, prompt or response',
  async () => {
    const { journal, run } = await runOn('openai', [{ json: PLAN as never }]);
    const replayOf = (changed: Journal) =>
      benchOn(dead('local.chat/small-1'), changed).runtime.records.replay(run.runId);
    const stripped = forgedJournal(journal, (events) =>
      JSON.stringify((JSON.parse(events) as readonly object[]).map((event) => ({ ...event, calls: undefined }))),
    );
    await expect(replayOf(stripped)).rejects.toMatchObject({
      code: 'replay_input_missing',
      message: 'the lineage of the model calls behind a plan is not recorded',
    });
    const [exchange] = await benchOn(dead('local.chat/small-1'), journal).runtime.records.exchanges(run.runId);
    for (const what of ['prompt', 'response'] as const) {
      const address = exchange?.call[what];
      const gone = new Fault('blob_missing', 'it is gone');
      const without =
        (read: (asked: Address) => Promise<string>) =>
        async (asked: Address): Promise<string> => {
          if (asked === address) throw gone;
          return await read(asked);
        };
      const emptied: Journal = {
        ...journal,
        blob: without((asked) => journal.blob(asked)),
        texts: async (sessions, loaded) => {
          const texts = await journal.texts(sessions, loaded);
          return { ...texts, blob: without((asked) => texts.blob(asked)) };
        },
      };
      await expect(replayOf(emptied)).rejects.toMatchObject({
        code: 'replay_input_missing',
        message: `the ${what} ${address} of request 1 to main, as planner, is not recorded`,
      });
    }
  },
);
