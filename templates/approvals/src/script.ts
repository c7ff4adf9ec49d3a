import { ruleModel, type ScriptedModel } from 'ambit/testing';

/** The rules that play the model in tests and while no API key is set. */
export const script: ScriptedModel = ruleModel({
  plans: [
    {
      message: /refund.*(?<order>ord_\d+)/i,
      plan: ({ order = '' }) => ({
        steps: [
          { id: 'look', tool: 'orders.lookup', params: { order_id: order } },
          {
            id: 'pay',
            tool: 'payments.refund',
            depends_on: ['look'],
            // `$from` takes the verified result of an earlier step.
            params: {
              order_id: { $from: 'look', path: '/order_id' },
              amount_cents: { $from: 'look', path: '/total_cents' },
            },
          },
        ],
      }),
    },
  ],
  sentences: { 'payments.refund': 'Order {order_id} is {status}.' },
});
