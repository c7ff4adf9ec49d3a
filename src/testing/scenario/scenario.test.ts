/** Proves that scenarios run on the real runtime and that a failed line says which line it is and what happened. */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Agent, agent, Fault, lane, templatePlanner, tool } from '../../index.ts';
import { scriptedModel } from '../scripted-model.ts';
import { type AgentScenario, scenario } from './scenario.ts';

const refund = tool({
  name: 'payments.refund',
  description: 'Refund an order',
  approvalMode: 'destructive',
  inputSchema: z.object({ order_id: z.string() }),
  outputSchema: z.object({ order_id: z.string(), status: z.string() }),
  execute: ({ order_id }) => ({ order_id, status: 'refunded' }),
  effects: { produces: ['refund'] },
  risk: { trusted: true },
  rules: { action: 'send_communication' },
});

const options = {
  name: 'support',
  tools: [refund],
  intents: [{ intent: 'order.refund', description: 'Refund an order' }],
  boundary: 'customer_support',
  budget: 'standard',
  settings: { roles: { customer: 'destructive' } },
} as const;

/** Its own model has no turn: a scenario must replace it. */
const support = agent({ ...options, model: scriptedModel([]) });

const planFor = (order_id: string) => ({
  steps: [{ id: 's1', tool: 'payments.refund', params: { order_id } }],
  decision_checkpoints: [],
});
const answerFor = (order_id: string, ref = 'ev_1') => ({
  sentences: [
    {
      text: `Order ${order_id} is refunded.`,
      cites: ['/order_id', '/status'].map((pointer) => ({ ref, pointer })),
    },
  ],
});
const turnsFor = (order_id: string) => [planFor(order_id), answerFor(order_id)];

const refundOf = (model = turnsFor('ord_881') as readonly object[]): AgentScenario =>
  scenario(support, { model }).say('Refund order ord_881');

describe('a scenario', () => {
  test('checks a call that waits at a gate, approves it and checks the answer', async () => {
    const model = scriptedModel(turnsFor('ord_881'));
    await scenario(support, { model })
      .say('Refund order ord_881')
      .expectCall('payments.refund', { order_id: 'ord_881' })
      .expectNoCall()
      .expectGate('payments.refund')
      .approve({ name: 'lead', reason: 'within policy' })
      .expectText('Order ord_881 is refunded.')
      .expectText(/refunded/)
      .expectEnd('SUCCESS')
      .run();
    expect(model.prompts).toHaveLength(2);
  });

  test('rejects a gate', async () => {
    const model = scriptedModel([planFor('ord_881')]);
    await scenario(support, { model })
      .say('Refund order ord_881')
      .expectCall('payments.refund')
      .reject({ reason: 'outside policy' })
      .expectNoCall('payments.refund')
      .expectEnd('PERMISSION_DENIED', 'approval_rejected')
      .run();
    expect(model.prompts).toHaveLength(1);
  });

  test('checks the compensation after a rejected gate', async () => {
    const write = (name: string, effects: object) =>
      tool({
        name,
        description: name,
        approvalMode: 'local_write',
        inputSchema: z.object({ order_id: z.string() }),
        outputSchema: z.object({ order_id: z.string() }),
        execute: ({ order_id }) => ({ order_id }),
        effects,
        rules: { action: 'draft_reply' },
      });
    const remove = write('notes.remove', {});
    const note = write('notes.add', { compensate: { tool: remove, args: () => ({ order_id: 'ord_881' }) } });
    const noting = agent({
      ...options,
      tools: [note, remove, refund],
      budget: { profile: 'standard', sideEffectsMax: 2 },
      model: scriptedModel([]),
    });
    const [refundStep] = planFor('ord_881').steps;
    const steps = [
      { id: 's0', tool: 'notes.add', params: { order_id: 'ord_881' } },
      { ...refundStep, depends_on: ['s0'] },
    ];
    const rejected = scenario(noting, { model: [{ steps, decision_checkpoints: [] }] })
      .say('Refund order ord_881')
      .expectCall('notes.add')
      .expectCall('payments.refund')
      .reject()
      .expectCall('notes.remove', { order_id: 'ord_881' })
      .expectNoCall();
    await rejected.expectEnd('PERMISSION_DENIED', 'approval_rejected').run();
    expect(await failureOf(rejected.expectEnd('SUCCESS'))).toContain('line 7 of the scenario failed');
  });

  test('answers a question', async () => {
    const ask = { id: 's1', tool: 'clarify', params: { question: 'Which order?', fields: ['order_id'] } };
    const question = { steps: [ask], decision_checkpoints: [] };
    const model = scriptedModel([question, planFor('ord_881'), answerFor('ord_881', 'ev_2')]);
    await scenario(support, { model })
      .say('Refund my order')
      .expectNoCall()
      .answer({ order_id: 'ord_881' })
      .expectCall('payments.refund', { order_id: 'ord_881' })
      .approve()
      .expectEnd('SUCCESS')
      .run();
    expect(model.prompts).toHaveLength(3);
  });

  test('sends two messages of one thread', async () => {
    const model = scriptedModel([...turnsFor('ord_881'), ...turnsFor('ord_882')]);
    await scenario(support, { model })
      .say('Refund order ord_881')
      .approve()
      .expectText('ord_881')
      .say('Refund order ord_882 too')
      .expectCall('payments.refund', { order_id: 'ord_882' })
      .expectNoCall()
      .approve()
      .expectText('ord_882')
      .expectEnd('SUCCESS')
      .run();
    expect(model.prompts).toHaveLength(4);
  });

  test('checks the output', async () => {
    const output = z.object({ status: z.string() });
    const typed = agent({ ...options, output, model: scriptedModel([]) });
    const plan = { ...planFor('ord_881'), output: { status: { $from: 's1', path: '/status' } } };
    const refunded = scenario(typed, { model: [plan, answerFor('ord_881')] })
      .say('Refund order ord_881')
      .approve();
    await refunded.expectOutput({ status: 'refunded' }).run();
    expect(await failureOf(refunded.expectOutput({ status: 'open' }))).toContain(
      'line 3 of the scenario failed: .expectOutput({"status":"open"})\n  the output is {"status":"refunded"}.',
    );
  });

  test('runs an agent with its own planner without a model', async () => {
    const planner = templatePlanner({
      'order.refund': {
        plan_id: 'plan_refund',
        intent: 'order.refund',
        steps: [
          {
            id: 's1',
            tool: 'payments.refund',
            params: { order_id: { $slot: 'order_id' } },
            requires: ['GATE_MODE_APPROVAL'],
          },
        ],
        decision_checkpoints: [],
      },
    });
    const refunded = scenario(agent({ ...options, planner }))
      .say('Refund it', { inputs: { order_id: 'ord_881' } })
      .expectCall('payments.refund', { order_id: 'ord_881' })
      .approve();
    await refunded.expectEnd('SUCCESS').run();
    expect(await failureOf(refunded.expectNoCall('payments.refund'))).toContain('line 4 of the scenario failed');
  });

  test('checks a refusal', async () => {
    const user = { name: 'eve', tenant: 'test', roles: [] };
    const asEve = scenario(support, { model: [planFor('ord_881')], user }).say('Refund order ord_881');
    await asEve.expectRefusal('tool_not_allowed').expectNoCall().expectEnd('PERMISSION_DENIED', 'plan_rejected').run();
    expect(await failureOf(asEve.expectRefusal('budget'))).toContain(
      'line 2 of the scenario failed: .expectRefusal("budget")\n  something else was refused.',
    );
  });

  test('counts a plan that the model corrects before it is proposed as no refusal', async () => {
    const { steps } = planFor('ord_881');
    const wrong = { steps: steps.map((step) => ({ ...step, depends_on: ['s9'] })), decision_checkpoints: [] };
    const corrected = refundOf([wrong, planFor('ord_881')]).expectGate('payments.refund');
    await corrected.run();
    expect(await failureOf(corrected.expectRefusal())).toContain(
      'nothing was refused: a plan that the model corrects before it is proposed counts as no refusal. The run waits',
    );
  });
});

describe('a failed line', () => {
  test.each([
    [
      'a call with other arguments',
      refundOf().expectCall('payments.refund', { order_id: 'ord_1' }),
      'line 2 of the scenario failed: .expectCall("payments.refund", {"order_id":"ord_1"})\n  the next call was payments.refund({"order_id":"ord_881"}).',
    ],
    [
      'another end',
      refundOf().approve().expectEnd('REJECTED'),
      'line 3 of the scenario failed: .expectEnd("REJECTED")\n  The run ended SUCCESS',
    ],
    [
      'a run that has not ended',
      refundOf().expectEnd('SUCCESS'),
      'line 2 of the scenario failed: .expectEnd("SUCCESS")\n  The run waits (awaiting_gate)',
    ],
    [
      'a missing call',
      refundOf().expectCall('payments.refund').expectCall('payments.refund'),
      'line 3 of the scenario failed: .expectCall("payments.refund")\n  no further call was made.',
    ],
    [
      'a call that is not expected',
      refundOf().expectNoCall(),
      'line 2 of the scenario failed: .expectNoCall()\n  payments.refund({"order_id":"ord_881"}) was called.',
    ],
    [
      'an unused turn',
      refundOf([...turnsFor('ord_881'), answerFor('ord_882')])
        .approve()
        .expectEnd('SUCCESS'),
      'line 4 of the scenario failed: .run()\n  1 scripted turns were never used. The run ended SUCCESS',
    ],
    [
      'an unscripted turn',
      refundOf([planFor('ord_881')])
        .approve()
        .expectEnd('SUCCESS'),
      'line 2 of the scenario failed: .approve()\n  the model was asked 2 times, and its script has 1 turns; after a refused plan or sentence it is asked again.',
    ],
    [
      'a decision without a gate',
      scenario(support, { model: [] }).approve(),
      'line 1 of the scenario failed: .approve()\n  no gate is open. No run was started.',
    ],
  ])('names the line and the event: %s', async (_, failing, message) => {
    expect(await failureOf(failing)).toContain(message);
  });

  test('shows every refusal with its code, also that of a request that started no run', async () => {
    const unknown = scenario(support, { model: [] }).say('Refund it', { intent: 'order.find' });
    const message = await failureOf(unknown.expectRefusal('something'));
    expect(message).toContain('something else was refused. No run was started.\n    refused: envelope_invalid: ');

    const wrong = { steps: [{ id: 's1', tool: 'payments.pay', params: {} }], decision_checkpoints: [] };
    const twice = refundOf([wrong, wrong, wrong, wrong]).expectCall('payments.refund');
    const refused = (await failureOf(twice)).split('\n').filter((text) => text.includes('refused: plan: '));
    expect(refused.length).toBeGreaterThan(1);
    for (const text of refused) expect(text).toContain('hallucinated_capability: no such tool: payments.pay');
  });

  test('points to its place in the test', async () => {
    const failing = refundOf().expectEnd('SUCCESS');
    const error = await failing.run().catch((thrown: Error) => thrown);
    expect(String(error?.stack).split('\n    at ')[1]).toContain('scenario.test.ts');
  });
});

describe('a scenario refuses', () => {
  test('an await without run()', async () => {
    const awaiting = async (): Promise<void> => {
      // @ts-expect-error the compiler rejects it too
      await refundOf();
    };
    await expect(awaiting()).rejects.toThrow('the scenario was awaited and never run: end it with .run()');
  });

  test.each<[string, () => unknown, string]>([
    ['a lane', () => scenario(withLane()), 'the tool refunds.delegate is a lane, and scenarios do not support lanes'],
    [
      'a model for an agent with its own planner',
      () => scenario(agent({ ...options, planner: templatePlanner({}) }), { model: [] }).run(),
      'agent support: planner is set, and withModel() cannot replace it',
    ],
    [
      'a model for an agent with judges',
      () => scenario(agent({ ...options, model: scriptedModel([]), models: { judges: [] } }), { model: [] }).run(),
      'agent support: models.judges is set, and withModel() cannot replace it',
    ],
    [
      'a model for an agent that agent() did not make',
      () => scenario({ ...support, withModel: undefined } as unknown as Agent, { model: [] }).run(),
      'it was not made with agent(), so model cannot replace its model',
    ],
  ])('%s', async (_, start, message) => {
    const error = await (async () => start())().catch((thrown: unknown) => thrown);
    expect(Fault.is(error) ? error.message : error).toContain(message);
  });
});

const withLane = (): Agent =>
  agent({
    ...options,
    model: scriptedModel([]),
    tools: [
      lane({
        name: 'refunds.delegate',
        description: 'Delegates a refund',
        agent: support,
        task: {
          inputSchema: z.object({ order_id: z.string() }),
          outputSchema: z.object({ refund: z.object({ order_id: z.string(), status: z.string() }) }),
          goal: () => 'Refund the order',
          returns: ['refund'],
        },
      }),
    ],
  });

async function failureOf(failing: AgentScenario): Promise<string> {
  try {
    await failing.run();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return 'the scenario passed';
}
