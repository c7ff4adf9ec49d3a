import { Fault } from '../model/fault/fault.ts';
import type { AgentSpec } from '../model/run/agent.ts';
import { higherCost, type ToolCost } from '../model/tool/tool.ts';
import type { Planner } from '../ports/model/planner.ts';

/** A planner, followed by its `safer` planner if it has one. */
export const plannersOf = (planner: Planner): readonly Planner[] =>
  planner.safer === undefined ? [planner] : [planner, planner.safer];

/** The highest cost of a plan by any of the planners. */
export function plannerCost(planner: Planner): ToolCost | undefined {
  const costs = plannersOf(planner).flatMap(({ cost }) => cost ?? []);
  const [first, ...others] = costs;
  return first === undefined ? undefined : others.reduce(higherCost, first);
}

/** Rejects a safer planner that the boundary would never use. */
export function saferFaults({ boundary }: AgentSpec, { safer }: Planner): readonly Fault[] {
  if (safer === undefined || boundary.escalation_paths.includes('specialist_model')) return [];
  const path = '/agent/boundary/escalation_paths';
  const message = `${path}: planner.safer is used only if the boundary lists specialist_model: add it, or remove safer`;
  return [new Fault('input_invalid', message, { path })];
}
