# The worker of docker-compose.yml. glibc is needed: the Temporal SDK has no build for Alpine.
FROM node:20-bookworm-slim AS build
WORKDIR /opt/bench
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:20-bookworm-slim
# python3: tasks' own scripts and the local backend.
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/bench
COPY --from=build /opt/bench/package.json ./
COPY --from=build /opt/bench/node_modules ./node_modules
COPY --from=build /opt/bench/dist ./dist
COPY --from=build /opt/bench/configs ./configs
COPY --from=build /opt/bench/images ./images
COPY --from=build /opt/bench/datasets ./datasets
ENV NODE_ENV=production
# Root, since access to the engine's socket amounts to root on the host anyway.
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["worker"]
