FROM swift:6.3-bookworm AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libmicrohttpd-dev libsqlite3-dev pkg-config zlib1g-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
# -s: without the symbol table the program is a third smaller.
RUN swift build -c release --product runcast -Xswiftc -static-stdlib -Xlinker -s \
    && install -D "$(swift build -c release --show-bin-path)/runcast" /out/usr/bin/runcast
COPY LICENSE /out/usr/share/doc/runcast/LICENSE
COPY Public /out/usr/share/runcast/Public

FROM debian:bookworm-slim
ARG REVISION=unknown
ARG VERSION=unknown
LABEL org.opencontainers.image.title="Runcast" \
      org.opencontainers.image.description="Start work over HTTP, watch it live, cancel it, never see a stale result" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.version="$VERSION"
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libmicrohttpd12 libsqlite3-0 zlib1g \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/apt /var/log/dpkg.log \
    && useradd --no-log-init --uid 10001 --user-group --no-create-home --home-dir /var/lib/runcast \
        --shell /usr/sbin/nologin runcast \
    && install -d -o runcast -g runcast -m 0750 /var/lib/runcast
COPY --from=build /out /
ENV RUNCAST_HOST=0.0.0.0 \
    RUNCAST_PORT=8080 \
    RUNCAST_PUBLIC=/usr/share/runcast/Public \
    RUNCAST_DATA_DIR=/var/lib/runcast
# As numbers, so that an orchestrator can tell that it is not root without reading /etc/passwd.
USER 10001:10001
VOLUME /var/lib/runcast
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["runcast", "health"]
ENTRYPOINT ["runcast"]
CMD ["serve"]
