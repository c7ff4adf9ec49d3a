import { type Agent, agent } from 'ambit';
import { model } from './model.ts';
import { listDeploys, queryLogs, readMetrics, rollBack } from './ops.ts';
import { lanes } from './workers.ts';

/** The lead of an incident: two lanes in parallel, then the list of deployments, then a rollback that a person approves. */
export const lead: Agent = agent({
  name: 'incident_lead',
  model,
  tools: [...lanes, queryLogs, readMetrics, listDeploys, rollBack],
  boundary: 'incident_sre',
  budget: { profile: 'standard', lanesMax: 2 },
  settings: { roles: { sre: 'destructive' } },
});
