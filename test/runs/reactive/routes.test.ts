/** The kernel follows the routes; each test shows one in a complete run. */
import { expect } from 'vitest';
import { routeOf } from '../../../src/kernel/query/plan/reactive-route.ts';
import { type AgentSpec, parseAgent } from '../../../src/model/run/agent.ts';
import { verifies } from '../../requirements/verifies.ts';
import { partsOf } from '../graphs/kernel.ts';
import { CAPS } from '../rig.ts';
import { decide, reactiveBench } from './bench.ts';

/** An agent whose task a model may answer directly. */
const drafting = (agent: AgentSpec): AgentSpec =>
  parseAgent({ ...agent, intents: agent.intents.map((intent) => ({ ...intent, task_class: 'drafting' })) });

const TOOLS = { look: {}, finish: { produces: ['done'] } };

verifies(
  'route:reactive:direct-chat-first',
  'answers a task that needs no tool directly, regardless of other conditions',
  async () => {
    const bench = reactiveBench([{ steps: [], answer: 'Dear customer' }], { tools: { look: {} }, agent: drafting });
    const run = await bench.invoke();
    const states = await bench.states(run.runId);
    expect(run).toMatchObject({ terminalCode: 'SUCCESS' });
    const { env } = partsOf({ tools: TOOLS, options: { graph: 'reactive', limits: { planning: 'stepwise' } } }).pins;
    const last = states.at(-1);
    if (last === undefined) throw new Error('the run has no states');
    const pressed = { messages: last.react.messages, stepCount: 101 };
    const error = { retriable: false, capability: 'look', code: 'error' };
    expect(routeOf(env, { ...last, react: { ...pressed, error } })).toEqual({ to: 'direct_chat' });
  },
);

verifies(
  'route:reactive:pipeline-fourth',
  'a request without a task ends before classification; with one it is classified and then decided',
  async () => {
    const blank = reactiveBench([], { tools: TOOLS });
    const none = await blank.invoke({ goal: { statement: '   ' } });
    expect(none).toMatchObject({ terminalCode: 'MISSING_INFO', reason: 'goal_missing' });
    expect((await blank.events(none.runId)).map(({ type }) => type)).not.toContain('intent_classified');

    const bench = reactiveBench([decide('finish')], { tools: TOOLS });
    const run = await bench.invoke();
    const types = (await bench.events(run.runId)).map(({ type }) => type);
    const order = ['goal_received', 'intent_classified', 'scope_resolved', 'plan_proposed', 'step_attempted'] as const;
    const places = order.map((type) => types.indexOf(type));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
    expect(bench.model.prompts).toHaveLength(1);
  },
);

verifies(
  ['route:reactive:dispatch-fifth', 'route:reactive:after-capability-back'],
  'every decision goes to its tool and returns to the planner',
  async () => {
    const turns = [decide('look', { n: 1 }), decide('respond', { objective: 'so far' }), decide('finish')];
    const bench = reactiveBench(turns, { tools: TOOLS, caps: CAPS });
    const run = await bench.invoke();
    const tools = (await bench.events(run.runId)).flatMap((event) => {
      if (event.type === 'plan_proposed') return ['decided'];
      return event.type === 'step_attempted' ? [event.tool] : [];
    });
    expect(tools).toEqual(['decided', 'look', 'decided', 'respond', 'decided', 'finish']);
    await bench.runtime.records.replay(run.runId);
  },
);
