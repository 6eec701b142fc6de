import { libraryServer, serveMcp } from '../../fakes/mcp-http-server.ts';
import type { Hand } from './hand.ts';
import type { Journey } from './journeys.ts';
import { answer, begin, button, goTo, tool, use } from './journeys.ts';

/** A real server on this machine. Its README says what to paste. */
let server: Awaited<ReturnType<typeof serveMcp>> | undefined;

export const toolServer: Journey = {
  name: 'a tool server as its README says, and a call to it',
  prepare: async (bed) => {
    server = await serveMcp(libraryServer);
    await use(bed, await bed.script('asks', [tool('library__draw', {}), { text: 'It drew a red square.' }]));
  },
  walk: async (hand) => {
    try {
      await addAndAsk(hand, server?.url ?? '');
    } finally {
      await server?.close();
    }
  },
};

async function addAndAsk(hand: Hand, url: string): Promise<void> {
  const { page } = hand;
  await goTo(hand, 'Tools', 'Tools');
  await hand.type(
    page.getByRole('textbox', { name: 'Command, address, link or JSON' }),
    JSON.stringify({ mcpServers: { library: { type: 'http', url } } }),
  );
  await hand.press(button(hand, 'Add server'));
  const card = page.getByRole('region', { name: 'library', exact: true });
  await hand.sees(card.getByText('Use this server?'));
  await hand.stage('added');
  await hand.press(card.getByRole('button', { name: 'Approve and start' }));
  await hand.sees(card.getByText('May agents call these tools?'));
  await hand.stage('its tools');
  await hand.press(card.getByRole('button', { name: 'Approve 1 tool' }));
  await hand.sees(card.getByText('1 of 1 tools on'));
  if (hand.kind === 'keyboard') await hand.keys('Control+N');
  else await hand.press(page.getByRole('navigation').getByRole('button', { name: 'New task', exact: true }));
  await begin(hand, 'What does the library draw?');
  const asked = page.getByRole('alertdialog');
  await hand.sees(asked);
  await hand.stage('asked');
  await hand.press(asked.getByRole('button', { name: 'Allow once' }));
  await hand.sees(answer(hand, 'It drew a red square.'));
  await hand.stage('answer');
}
