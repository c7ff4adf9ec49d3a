import { resolve } from 'node:path';
import type { PlanReport, VerifyOptions } from '../../records.ts';
import { type Action, argument, type Call, getExitCode, readGoal, readTextFlag } from '../command.ts';
import { type LoadedConfig, loadConfig, openRuntime } from '../config/load-config.ts';
import { readJsonFile } from '../files.ts';
import { escapeText } from '../terminal/escape.ts';
import type { Paint } from '../terminal/terminal.ts';
import { formatCount } from '../views/format.ts';
import { readIdentity, readInputs, selectAgent } from './run.ts';

/** Verifies the plan of a file. A plan that is not `ok` is a result (exit 1), not an error. */
export const verifyPlanAction: Action = async (call) => {
  const { terminal } = call;
  const loaded = await loadConfig(call.configFile);
  const plan = readJsonFile(resolve(argument(call, 'file')), 'plan');
  const agent = selectAgent(call, loaded);
  const request = readRequest(call, loaded);
  const runtime = openRuntime(loaded);
  try {
    const report = await runtime.verify(plan, { agent, request });
    terminal.show(report, () => describeReport(report, terminal.paint));
    return getExitCode(report.verdict === 'ok' && report.handover === null ? 'done' : 'found');
  } finally {
    await runtime.close();
  }
};

/** Reads the parts of the request that the command line or the config names; the runtime adds the others. */
function readRequest(call: Call, { config }: LoadedConfig): NonNullable<VerifyOptions['request']> {
  const { flags } = call;
  const message = readGoal(flags);
  const intent = readTextFlag(flags, 'intent');
  const thread = readTextFlag(flags, 'thread');
  const isNamed =
    config.identity !== undefined || ['identity', 'actor', 'tenant'].some((flag) => flags[flag] !== undefined);
  return {
    inputs: readInputs(call),
    ...(isNamed ? { user: readIdentity(flags, config) } : {}),
    ...(message === null ? {} : { message }),
    ...(intent === null ? {} : { intent }),
    ...(thread === null ? {} : { thread }),
  };
}

/** One line per problem, and the verdict. */
function describeReport({ verdict, problems, handover, checks }: PlanReport, paint: Paint): string {
  const lines = problems.map(({ code, path, message, step_id }) => {
    const place = step_id === undefined ? path || '/' : `${path} (step ${escapeText(step_id)})`;
    return `${paint('bad', '✗')} ${code}  ${escapeText(place)}: ${escapeText(message)}`;
  });
  const mark = verdict === 'ok' && handover === null ? paint('good', '✓') : paint('bad', '✗');
  const passed = `${mark} ${verdict}: ${formatCount(checks.length, 'check')}, ${formatCount(problems.length, 'problem')}`;
  const end = handover === null ? [] : [`a run with this plan stops: ${handover.code}, ${escapeText(handover.reason)}`];
  return [...lines, passed, ...end].join('\n');
}
