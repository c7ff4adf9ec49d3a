import { ruleModel, type ScriptedModel } from 'ambit/testing';

/** The rules that play the model in tests and while no API key is set. */
export const script: ScriptedModel = ruleModel({
  plans: [
    {
      message: /\b(?<service>checkout|search)\b/i,
      plan: ({ service = '' }) => {
        const params = { service: service.toLowerCase() };
        return {
          steps: [
            { id: 'logs', tool: 'look_at_logs', params },
            { id: 'metrics', tool: 'look_at_metrics', params },
            { id: 'deploys', tool: 'deploys.list', depends_on: ['logs', 'metrics'], params },
            {
              id: 'back',
              tool: 'deploys.roll_back',
              depends_on: ['deploys'],
              // `$from` takes the verified result of an earlier step.
              params: { ...params, to: { $from: 'deploys', path: '/previous' } },
            },
          ],
        };
      },
    },
  ],
  sentences: { 'deploys.roll_back': 'The release of {service} is {release}.' },
});
