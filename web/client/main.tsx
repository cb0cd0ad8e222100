import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import { client } from './data/queries.js';
import { takeToken } from './data/token.js';
import { listenToKeys } from './keys/keys.js';
import { router } from './router.js';
import { applyPreferences } from './shell/preferences.js';
import { installTrustedTypes } from './trusted-types.js';

installTrustedTypes();
takeToken();
applyPreferences();
listenToKeys();
createRoot(document.getElementById('root')!).render(
  <QueryClientProvider client={client}>
    <RouterProvider router={router} />
  </QueryClientProvider>,
);
