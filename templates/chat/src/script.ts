import { ruleModel, type ScriptedModel } from 'ambit/testing';

/** The rules that play the model in tests and while no API key is set. */
export const script: ScriptedModel = ruleModel({
  plans: [
    {
      message: /(?<order>ord_\d+)/,
      plan: ({ order = '' }) => ({ steps: [{ id: 'look', tool: 'orders.lookup', params: { order_id: order } }] }),
    },
    { message: /^(?:hi|hello|hey)\b/i, plan: () => ({ answer: 'Hello!' }) },
  ],
  sentences: { 'orders.lookup': 'The status of order {order_id} is {status}.' },
});
