import { Fault } from '../../model/fault.ts';
import type { Agent } from '../declare/agent.ts';

/** What is taken apart here is checked with everything else: nothing about it is believed yet. */
export function partsOf<Whole>(options: unknown): Whole {
  const given = (options as { readonly agent?: unknown } | undefined)?.agent;
  if (typeof given !== 'object' || given === null || !('spec' in given)) return options as Whole;
  const twice = ['tools', 'planner', 'decisions'].filter((part) => Object.hasOwn(options as object, part));
  if (twice.length > 0) {
    const message = `the agent brings its ${twice.join(', ')} along: declare them in agent(), and leave them out here`;
    throw new Fault('input_invalid', message, { path: `/${twice[0]}` });
  }
  const { spec, tools, planner, decisions } = given as Agent;
  return { ...(options as object), agent: spec, tools, planner, decisions } as Whole;
}
