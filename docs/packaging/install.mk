# Installing: `make install PREFIX= DESTDIR=`, `make uninstall`, and `make deb`, which packs what
# `make install` gives. One list says what goes where. The standard library is inside the binary.

PREFIX    ?= /usr/local
LIBDIR    ?= $(PREFIX)/lib
UNITDIR   ?= $(PREFIX)/lib/systemd/system
ZSHDIR    ?= $(PREFIX)/share/zsh/site-functions
SHARE     := $(PREFIX)/share
# What the README sends a reader to, and what that is about.
# The pages of the language, in the order in which one reads them.
LANGUAGE  := shape sources functions tags flows pairs fields types aggregates statements ledger grammar
DOCS      := tutorial pictures cookbook language $(LANGUAGE:%=language/%) generated/stdlib library cluster security trace-format
# What they show beside them.
EXAMPLES  := $(wildcard docs/examples/*.* docs/examples/*/*.* docs/json-schema/* docs/pictures/*)

# MODE:FILE:PLACE
INSTALL = 755:$(B)/runnel:$(PREFIX)/bin/runnel \
	644:repl/api/runnel.h:$(PREFIX)/include/runnel.h \
	644:$(B)/librunnel.a:$(LIBDIR)/librunnel.a \
	644:$(SHARED):$(LIBDIR)/$(notdir $(SHARED)) \
	644:$(B)/runnel_sqlite.so:$(LIBDIR)/runnel/runnel_sqlite.so \
	644:$(B)/runnel.pc:$(LIBDIR)/pkgconfig/runnel.pc \
	644:docs/packaging/runnel.1:$(SHARE)/man/man1/runnel.1 \
	644:docs/packaging/librunnel.3:$(SHARE)/man/man3/librunnel.3 \
	644:$(B)/runnel.7:$(SHARE)/man/man7/runnel.7 \
	644:docs/packaging/runnel-agent.8:$(SHARE)/man/man8/runnel-agent.8 \
	644:docs/packaging/completions/runnel.bash:$(SHARE)/bash-completion/completions/runnel \
	644:docs/packaging/completions/_runnel:$(ZSHDIR)/_runnel \
	644:$(B)/runnel-agent.service:$(UNITDIR)/runnel-agent.service \
	644:LICENSE:$(SHARE)/doc/runnel/LICENSE \
	$(foreach f,README $(DOCS),644:$(B)/doc/$f.md:$(SHARE)/doc/runnel/$f.md) \
	644:tests/demo/scenario.sh:$(SHARE)/doc/runnel/examples/scenario.sh \
	$(foreach f,$(EXAMPLES),644:$f:$(SHARE)/doc/runnel/$(f:docs/%=%))
# NAME:TARGET
LINKS = $(LIBDIR)/librunnel.so:$(SONAME) $(LIBDIR)/$(SONAME):$(notdir $(SHARED))

# Programs keep these paths, so they cannot depend on the folder that make runs in.
ifneq ($(filter install uninstall,$(MAKECMDGOALS)),)
$(foreach v,PREFIX LIBDIR UNITDIR ZSHDIR,$(if $(filter-out /%,$($v)),$(error $v=$($v) is no absolute path: say $v=$(CURDIR)/$($v))))
endif

word2 = $(word $2,$(subst :, ,$1))
install: all $(B)/runnel.7 $(patsubst %,$(B)/doc/%.md,README $(DOCS)) ## installs below PREFIX (/usr/local), and below DESTDIR
	@$(MAKE) --no-print-directory -B $(B)/runnel.pc $(B)/runnel-agent.service
	@$(foreach i,$(INSTALL),install -D -m $(call word2,$i,1) $(call word2,$i,2) $(DESTDIR)$(call word2,$i,3) &&) true
	@$(foreach l,$(LINKS),ln -sf $(call word2,$l,2) $(DESTDIR)$(call word2,$l,1) &&) true
	@echo "installed below $(DESTDIR)$(PREFIX): $(words $(INSTALL)) files"
uninstall: ## removes what install installs
	rm -f $(foreach i,$(INSTALL),$(DESTDIR)$(call word2,$i,3)) $(foreach l,$(LINKS),$(DESTDIR)$(call word2,$l,1))
	-rmdir --ignore-fail-on-non-empty -p $(sort $(dir $(foreach f,$(EXAMPLES:docs/%=%) $(filter-out $(notdir $(DOCS)),$(DOCS)),$(DESTDIR)$(SHARE)/doc/runnel/$f))) $(DESTDIR)$(LIBDIR)/runnel
.PHONY: install uninstall

# These depend on where they are installed, so each `make install` makes them again.
$(B)/runnel.pc: docs/packaging/runnel.pc.in
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|$(VERSION)|; s|@LIBS@|$(LIBS)|' $< >$@
$(B)/runnel-agent.service: docs/packaging/runnel-agent.service
	$(Q)sed 's|/usr/local/bin/|$(PREFIX)/bin/|' $< >$@
# Installed, documents lie beside one another. What they say of this tree leads to what is installed
# of it, or goes: notes to our tests, the paragraph about those who build and change it, and the
# cases, whose scripts need this tree.
INSTALLED := s|](docs/|](|g; s|\[docs/|[|g; s|](../repl/api/runnel.h)|](../../../include/runnel.h)|g; s|tests/demo/scenario.sh|examples/scenario.sh|g; \
	s|man docs/packaging/runnel.1|man runnel|; s|docs/packaging/runnel-agent.service|runnel-agent.service|; /^<!-- not run/d; /^For those who change it/,/^$$/d; /^Real systems are drawn in/,/^$$/d
$(B)/doc/README.md: README.md docs/packaging/install.mk
	@mkdir -p $(@D)
	$(Q)sed '$(INSTALLED)' $< >$@
$(B)/doc/%.md: docs/%.md docs/packaging/install.mk
	@mkdir -p $(@D)
	$(Q)sed '$(INSTALLED)' $< >$@
$(B)/runnel.7: docs/packaging/man.awk docs/language.md $(LANGUAGE:%=docs/language/%.md)
	$(call say,MAN)
	$(Q)awk -v version=$(VERSION) -f $^ >$@

# ---- packages: build/deb/*.deb, of what is built ----
DEB_LIBDIR = /usr/lib/$(shell dpkg-architecture -qDEB_HOST_MULTIARCH)
deb: all ## Debian packages in build/deb, of what is built
	@rm -rf $(B)/deb/root
	@$(MAKE) --no-print-directory install DESTDIR=$(B)/deb/root PREFIX=/usr LIBDIR=$(DEB_LIBDIR) UNITDIR=/lib/systemd/system \
		ZSHDIR=/usr/share/zsh/vendor-completions
	@.debian/build.sh $(VERSION) $(B)/deb/root $(B)/deb
.PHONY: deb
